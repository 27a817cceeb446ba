import { exitCodeOf } from "../../exit-code-of.ts";
import type { Io } from "../../io.ts";
import { followCall, printResult } from "../../output/print-result.ts";
import type { Answerer, Options } from "./with-operate.ts";

/** Runs the call of an approval once, in this process or on a server. */
export type Resume = NonNullable<Answerer["resume"]>;

interface Approved {
  /** The approval's id. */
  readonly id: string;
  readonly options: Options;
}

/** Goes on with the call of an approval, tells of it while it runs, and shows its result. Resolves with the exit code. */
export async function resumeCall(io: Io, resume: Resume, { id, options }: Approved): Promise<number> {
  const { result, note } = await resume(id, followCall(io, options));
  printResult(io, result, options);
  if (note !== undefined) io.err(`${note}\n`);
  return exitCodeOf(result);
}
