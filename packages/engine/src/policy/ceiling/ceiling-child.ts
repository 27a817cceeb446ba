import { ToolwrightError } from "../../contract/errors.ts";
import { ANSWER_APPROVALS, type Delegation, type Principal } from "../../contract/principal.ts";

/** A sub-agent: who it is, and how much of its parent it gets. What is left out narrows nothing. */
export interface ChildOptions extends Omit<Delegation, "from"> {
  readonly agent: string;
  /** True when nobody is to be asked for it: what asks is then denied. A child of an unattended run is always so. */
  readonly unattended?: boolean;
}

const maxDepth = 8;

/** The principal of a sub-agent. It has no right to answer approvals or to give grants. Throws `effect_refused` below eight levels. */
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
  return {
    ...from,
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
