import { ToolwrightError } from "../../contract/errors.ts";
import { ANSWER_APPROVALS } from "../../contract/permissions.ts";
import type { ChildOptions, Principal } from "../../contract/principal.ts";

const maxDepth = 8;

/**
 * The principal of a sub-agent. It has no right to answer approvals or to give grants, and nothing of its parent's harness, which is of the parent's
 * runtime. Throws `effect_refused` below eight levels.
 */
export function makeChild(from: Principal, { agent, unattended, ceiling, assignment, deny }: ChildOptions): Principal {
  if (depthOf(from) >= maxDepth)
    throw new ToolwrightError(
      "effect_refused",
      `Sub-agents start sub-agents at most ${maxDepth} levels deep. Let "${agent}" be started further up.`,
    );
  const isKept = (permission: string) =>
    permission !== ANSWER_APPROVALS &&
    ceiling?.permissions?.includes(permission) !== false &&
    assignment?.permissions?.includes(permission) !== false &&
    deny?.permissions?.includes(permission) !== true;
  const { harness: _, ...kept } = from;
  const person = from.onBehalfOf ?? (from.actor.kind === "user" ? from.actor.id : undefined);
  return {
    ...kept,
    ...(person !== undefined && { onBehalfOf: person }),
    actor: { kind: "agent", id: agent },
    agent,
    permissions: from.permissions.filter(isKept),
    door: "agent",
    runtime: "sub_agent",
    interactive: false,
    unattended: from.unattended === true || unattended === true,
    delegated: { from, ...(ceiling && { ceiling }), ...(assignment && { assignment }), ...(deny && { deny }) },
  };
}

function depthOf({ delegated }: Principal): number {
  return delegated ? 1 + depthOf(delegated.from) : 0;
}
