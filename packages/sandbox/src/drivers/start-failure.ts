import { type Logger, ToolwrightError } from "@toolwright/engine";
import type { StartProblem } from "../process/managed-process.ts";

/** Begins each sentence that our own scripts say on standard error, to tell it from what sandbox programs say. */
export const ownWords = "toolwright: ";

/**
 * Why a command was not started. What a sandbox program said names folders and kernel facts of the host: it is for the operator's log, and
 * for no caller.
 */
export function failStart(driver: string, problem: StartProblem, logger: Logger): ToolwrightError {
  const own = problem.said.split("\n").findLast((line) => line.startsWith(ownWords));
  logger.log("warn", `${driver} did not start a command.`, { said: problem.said, exitCode: problem.exitCode });
  const remedy = "Look into the server's log for what it said, and run `toolwright doctor`.";
  return new ToolwrightError(
    "spawn_failed",
    own?.slice(ownWords.length) ?? `The command was not started: ${driver} ${problem.why}. ${remedy}`,
  );
}
