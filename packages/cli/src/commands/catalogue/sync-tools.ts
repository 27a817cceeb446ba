import { describeSync } from "@toolwright/server/text";
import { CliError } from "../../cli-error.ts";
import { exitCodes } from "../../exit-code.ts";
import type { Io } from "../../io.ts";
import type { CatalogueOptions } from "../context/with-catalogue.ts";
import { withToolwright } from "../context/with-toolwright.ts";

/** For before a deployment, or after one that was not followed by a server. */
export function syncTools(io: Io, options: CatalogueOptions): Promise<number> {
  return withToolwright(io, { ...options, callsNothing: true }, async (toolwright) => {
    const { catalogue } = toolwright.store;
    if (options.agent !== undefined || options.tenant !== undefined)
      throw new CliError("The tools of code belong to no tenant and no agent. Leave --tenant and --agent out.");
    const complete = toolwright.loaded?.problems.length === 0 || toolwright.loaded === undefined;
    const report = await catalogue.sync(toolwright.engine.snapshot(), { complete });
    await catalogue.leave();
    io.out(options.json ? `${JSON.stringify(report, null, 2)}\n` : `${describeSync(report).join("\n") || "Nothing changed."}\n`);
    return exitCodes.done;
  });
}
