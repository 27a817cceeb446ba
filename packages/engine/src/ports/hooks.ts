import { admitHarness } from "../contract/admit-harness.ts";
import { ToolwrightError } from "../contract/errors.ts";
import { misfitAt } from "../contract/misfit-at.ts";
import type { Principal } from "../contract/principal.ts";
import { definePort } from "./define-port.ts";

/** An address to which others send webhooks, for an agent to answer. */
export interface Hook {
  readonly tenant: string;
  /** Unguessable, and of no other hook of any tenant: it is part of the address. */
  readonly id: string;
  /** Unique in the tenant. */
  readonly name: string;
  readonly agent: string;
  /** The way on which its webhooks come, and on which its agent answers. */
  readonly channel: string;
  /** Where messages go out to, for channels that send them. */
  readonly target?: string | undefined;
  /** Name of a secret that is sent along to the target, which it is bound to. */
  readonly credential?: string | undefined;
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
  /** Finds a hook of any tenant; undefined also where its tenant is suspended. */
  find(id: string): Promise<Hook | undefined>;
}

export const hooksPort = definePort<Hooks>()("hooks", "a store of hooks, such as the one of @toolwright/postgres");

const actorPrefix = "hook:";

/** Category of the tools with which an agent answers a webhook. */
export const outboundHarness = "outbound";

/** As whom a hook acts: at most its maker, with nobody to ask, and with the tools of its channel. */
export function hookPrincipal({ tenant, id, channel, principal: from }: Hook): Principal {
  const principal: Principal = {
    ...{ tenant, actor: { kind: "service", id: `${actorPrefix}${id}` }, permissions: from.permissions },
    ...{ door: "rest", source: "api", runtime: "webhook", interactive: false, unattended: true, delegated: { from } },
  };
  return admitHarness(principal, [outboundHarness, channel]);
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
