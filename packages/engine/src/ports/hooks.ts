import { ToolwrightError } from "../contract/errors.ts";
import { misfitAt } from "../contract/misfit-at.ts";
import type { Principal } from "../contract/principal.ts";

/** An address to which others send webhooks, for an agent to answer. */
export interface Hook {
  readonly tenant: string;
  /** Unguessable, and of no other hook of any tenant: it is part of the address. */
  readonly id: string;
  /** Unique in the tenant. */
  readonly name: string;
  readonly agent: string;
  /** Name of the tenant's secret that its webhooks are signed with. */
  readonly secret: string;
  /** Who made it: what it begins has no more than the rights that are left of theirs. */
  readonly principal: Principal;
  /** Milliseconds since the epoch. */
  readonly createdAt: number;
}

export interface Hooks {
  /** Rejects with `catalogue_refused` when the tenant has one of that name. */
  add(hook: Hook): Promise<void>;
  /** By name. */
  list(tenant: string): Promise<readonly Hook[]>;
  /** False when the tenant has none of that id. */
  remove(hook: Pick<Hook, "tenant" | "id">): Promise<boolean>;
  /** Of whichever tenant; undefined also where its tenant is suspended. */
  find(id: string): Promise<Hook | undefined>;
}

const actorPrefix = "hook:";

/** As whom a hook acts: at most its maker, with nobody to ask. */
export function hookPrincipal({ tenant, id, principal: from }: Hook): Principal {
  return {
    ...{ tenant, actor: { kind: "service", id: `${actorPrefix}${id}` }, permissions: from.permissions },
    ...{ door: "rest", source: "api", runtime: "webhook", interactive: false, unattended: true, delegated: { from } },
  };
}

/** The id of the hook that an actor is. */
export function hookOf({ kind, id }: Principal["actor"]): string | undefined {
  return kind === "service" && id.startsWith(actorPrefix) ? id.slice(actorPrefix.length) : undefined;
}

/** The error of a name that is taken. */
export function hookTaken(name: string): ToolwrightError {
  return misfitAt(
    "/name",
    "catalogue_refused",
    `There is a hook ${JSON.stringify(name)} already. Remove it first, or choose another name.`,
  );
}

/** The error of what there is not. */
export function hookMissing(name: string): ToolwrightError {
  return new ToolwrightError("catalogue_not_found", `There is no hook ${JSON.stringify(name)}. See them with: toolwright hooks list`);
}
