import type { CompiledTool } from "../catalogue/compiled-tool.ts";
import { nearestName } from "../contract/nearest-name.ts";
import type { Principal } from "../contract/principal.ts";
import { isCallerAdmitted } from "./admit-caller.ts";
import type { Call, Step } from "./call.ts";
import type { GateParts } from "./gate-parts.ts";

/** Finds the tool and admits the principal to it. A hidden tool and an unknown tool give the same answer. */
export function findTool(call: Call, parts: GateParts): Step<CompiledTool> {
  const tool = parts.snapshot(call.principal.tenant).find(call.name);
  if (tool && isCallerAdmitted(tool, call.principal, parts)) return { value: tool };
  return { end: call.failed({ code: "tool_not_found", message: unknownToolMessage(call.name, call.principal, parts) }) };
}

/** Names only what the principal can see. */
export function unknownToolMessage(name: string, principal: Principal, parts: GateParts): string {
  const visible = parts.snapshot(principal.tenant).tools.filter((tool) => isCallerAdmitted(tool, principal, parts));
  const shown = name.length > 64 ? `${name.slice(0, 64)}...` : name;
  const nearest = nearestName(
    name,
    visible.map((tool) => tool.name),
  );
  const hint = nearest ? `Did you mean "${nearest}"?` : "List the tools to see what there is.";
  return `There is no tool named ${JSON.stringify(shown)}. ${hint}`;
}
