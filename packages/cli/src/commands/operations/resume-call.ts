import { exitCodeOf } from "../../exit-code-of.ts";
import type { Io } from "../../io.ts";
import { followCall, printResult } from "../../output/print-result.ts";
import type { Answerer, Options } from "./with-operate.ts";

interface Approved {
  /** Of the approval. */
  readonly id: string;
  readonly options: Options;
}

/** Goes on with the call of an approval, tells of it while it runs, and shows its result. Resolves with the exit code. */
export async function resumeCall(io: Io, resume: NonNullable<Answerer["resume"]>, { id, options }: Approved): Promise<number> {
  const { result, note } = await resume(id, followCall(io, options));
  printResult(io, result, options);
  if (note !== undefined) io.err(`${note}\n`);
  return exitCodeOf(result);
}
