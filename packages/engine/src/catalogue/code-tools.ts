import { ToolwrightError } from "../contract/errors.ts";
import type { CodeTools } from "../ports/tenant-tools.ts";
import type { Snapshot } from "./catalogue.ts";
import { compileTenantTool } from "./compile-tenant-tool.ts";
import { overrideTool } from "./override-tool.ts";

/** What tenants may put over and beside the tools of a snapshot. */
export function toCodeTools({ find }: Pick<Snapshot, "find">): CodeTools {
  return {
    checkOverride(override) {
      const base = find(override.tool);
      if (!base) throw new ToolwrightError("catalogue_not_found", `There is no tool ${JSON.stringify(override.tool)} to override.`);
      overrideTool(base, override);
    },
    checkOwn(tenant, tool) {
      const taken = find(tool.tool);
      if (taken) throw new ToolwrightError("duplicate_tool", `The name "${tool.tool}" is taken by ${taken.origin.source}. Choose another.`);
      compileTenantTool(tenant, tool);
    },
  };
}
