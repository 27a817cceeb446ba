import { ToolwrightError } from "../contract/errors.ts";
import { nearestName } from "../contract/nearest-name.ts";
import type { CodeTools } from "../ports/tenant-tools.ts";
import type { Snapshot } from "./catalogue.ts";
import { compileTenantTool } from "./compile-tenant-tool.ts";
import { overrideTool } from "./override-tool.ts";

/** What tenants may put over and beside the tools of a snapshot. */
export function toCodeTools({ find, tools = [] }: Pick<Snapshot, "find"> & Partial<Pick<Snapshot, "tools">>): CodeTools {
  return {
    checkOverride(override) {
      const base = find(override.tool);
      if (!base) {
        const nearest = nearestName(
          override.tool,
          tools.map(({ name }) => name),
        );
        const meant = nearest === undefined ? "" : ` Did you mean ${JSON.stringify(nearest)}?`;
        throw new ToolwrightError("catalogue_not_found", `There is no tool ${JSON.stringify(override.tool)} to override.${meant}`);
      }
      overrideTool(base, override);
    },
    checkOwn(tenant, tool) {
      const taken = find(tool.tool);
      if (taken) throw new ToolwrightError("duplicate_tool", `The name "${tool.tool}" is taken by ${taken.origin.source}. Choose another.`);
      compileTenantTool(tenant, tool);
    },
  };
}
