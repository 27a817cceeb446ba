import type { Waiting } from "@toolwright/engine/shell";
import { visibleText } from "@toolwright/engine/visible-text";
import { CliError } from "../../cli-error.ts";
import { exitCodes } from "../../exit-code.ts";
import { exitCodeOf } from "../../exit-code-of.ts";
import type { Io } from "../../io.ts";
import { describeWhereabouts } from "../../output/describe-options.ts";
import { printResult } from "../../output/print-result.ts";
import type { Operate } from "../context/operate.ts";
import type { GeneratedCommand } from "./generated-command.ts";
import type { Options } from "./with-operate.ts";

/** Milliseconds between two looks: at first few, so that what is short is told at once. */
const looks = { first: 100, last: 1_000 };

interface Begun {
  readonly awaits: NonNullable<GeneratedCommand["awaits"]>;
  readonly answer: Readonly<Record<string, unknown>>;
  readonly options: Options;
}

/** Waits for the end of what an operation has begun, and shows it. Resolves with the exit code. */
export async function awaitEnding(io: Io, operate: Operate, { awaits, answer, options }: Begun): Promise<number> {
  const { endingOf, leave }: Waiting<unknown> = (await awaits.waiting()) as Waiting<unknown>;
  const input = { [awaits.by]: answer[awaits.by] };
  for (let pauseMs = looks.first; ; pauseMs = Math.min(pauseMs * 1.5, looks.last)) {
    // The schema of that operation reads the input.
    const now = await operate(awaits.operation as "jobs.get", input as never).catch((error: unknown) => {
      if (io.signal.aborted) return undefined;
      throw error;
    });
    const ending = now && endingOf(now);
    if (ending && "result" in ending) {
      printResult(io, ending.result, options);
      return exitCodeOf(ending.result);
    }
    if (ending) {
      io.err(`${visibleText(ending.note)}\n`);
      return exitCodes[ending.state];
    }
    if (!io.signal.aborted) await pause(pauseMs, io.signal);
    if (io.signal.aborted) throw new CliError(leave(answer, { where: describeWhereabouts(options) }));
  }
}

/** Until the time is over, or the signal aborts. */
function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const end = () => {
      clearTimeout(timer);
      signal.removeEventListener("abort", end);
      resolve();
    };
    const timer = setTimeout(end, ms);
    signal.addEventListener("abort", end);
  });
}
