import type { Removed } from "@toolwright/postgres";
import { describeRemoved } from "@toolwright/server/text";
import { CliError } from "../../cli-error.ts";
import { exitCodes } from "../../exit-code.ts";
import type { Io } from "../../io.ts";
import type { CommonOptions } from "../../settings.ts";
import { withStore } from "../context/with-store.ts";

/** Removes what is over, or says what that would be. Exit code 69 when another process is at it. */
export function tidy(io: Io, options: CommonOptions & { readonly dryRun?: boolean }): Promise<number> {
  return withStore(io, options, async ({ retention }) => {
    if (options.dryRun) return tell(io, options, { dryRun: true, removed: await retention.preview() });
    const removed = await retention.tidy(io.signal);
    if (!removed)
      throw new CliError("Another process is removing old records. Try again in two minutes.", {
        exitCode: exitCodes.unavailable,
      });
    tell(io, options, { dryRun: false, removed });
    return io.signal.aborted ? exitCodes.cancelled : exitCodes.done;
  });
}

function tell(io: Io, { json }: CommonOptions, report: { readonly dryRun: boolean; readonly removed: Removed }): number {
  if (json) io.out(`${JSON.stringify(report)}\n`);
  else io.out(`${report.dryRun ? "Would remove" : "Removed"} ${describeRemoved(report.removed)}.\n`);
  return exitCodes.done;
}
