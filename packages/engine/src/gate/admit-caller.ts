import { type Admission, admit, isAdmitted } from "../catalogue/admit.ts";
import type { CompiledTool } from "../catalogue/compiled-tool.ts";
import type { Principal } from "../contract/principal.ts";
import type { GateParts } from "./gate-parts.ts";

type Facts = Pick<GateParts, "visibility" | "secrets">;

/** Admitted itself, and everyone from whom it has what it has. */
export function isCallerAdmitted(tool: CompiledTool, principal: Principal, facts: Facts): boolean {
  if (!isAdmitted(tool, principal, facts)) return false;
  return principal.delegated === undefined || isCallerAdmitted(tool, principal.delegated.from, facts);
}

/** The same with reasons: its own, unless one further up is not admitted. */
export function admitCaller(tool: CompiledTool, principal: Principal, facts: Facts): Admission {
  const own = admit(tool, principal, facts);
  if (!own.admitted || principal.delegated === undefined) return own;
  const above = admitCaller(tool, principal.delegated.from, facts);
  return above.admitted ? own : above;
}
