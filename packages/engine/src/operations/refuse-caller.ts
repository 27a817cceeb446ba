import { ToolwrightError } from "../contract/errors.ts";
import type { Principal } from "../contract/principal.ts";
import type { OperationEntry } from "./define-operation.ts";

/** Why the principal may not use the operation; undefined when it may. */
export function refuseCaller(
  { name, permission, onlyPeople }: Pick<OperationEntry, "name" | "permission" | "onlyPeople">,
  { tenant, actor, permissions, delegated, interactive }: Principal,
): ToolwrightError | undefined {
  // False: the credential is a program's, or comes from where no person is.
  const isPerson = actor.kind === "user" && delegated === undefined && interactive !== false;
  const has = permission === undefined || (delegated === undefined && permissions.includes(permission));
  if (has && (isPerson || !onlyPeople)) return undefined;
  const who = `${delegated ? "sub-agent of the " : ""}${actor.kind} ${JSON.stringify(actor.id)}`;
  const needed = permission === undefined ? "" : ` with the permission ${permission}`;
  const message = `The ${who} may not use ${name} in the tenant ${JSON.stringify(tenant)}. Ask ${onlyPeople ? "a person" : "somebody"}${needed}.`;
  return new ToolwrightError("operation_not_allowed", message, { details: { operation: name, permission: permission ?? null } });
}
