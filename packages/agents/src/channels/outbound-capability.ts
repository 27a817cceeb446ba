import {
  type CallSite,
  type Capability,
  type CapabilityProvider,
  type Decision,
  type Engine,
  type Principal,
  type Reach,
  ToolwrightError,
} from "@toolwright/engine";
import { admitHarness, type Hook, hookOf, hookPrincipal, type Ids } from "@toolwright/engine/ports";
import { findOpen, type HookParts, type OpenHook } from "../hooks/verify-webhook.ts";
import { toJson } from "../turn/stored-response.ts";
import type { OutboundMessage } from "./channel.ts";

/** The way back of a hook, for a run that it began. */
export interface SendOutbound {
  /** Has a worker send a message. Rejects with `effect_refused` outside of such a run. */
  send(message: Pick<OutboundMessage, "to" | "content">): Promise<{ readonly message: string; readonly job: string }>;
}

export interface DeliverOutbound {
  /** Sends it now. Resolves to the status of the answer; undefined for a channel that sends nothing. Rejects with `connection_failed` where it may help to try again. */
  deliver(message: OutboundMessage): Promise<number | undefined>;
}

declare module "@toolwright/engine" {
  interface CapabilityRegistry {
    /** Sends messages on the channel of the hook that began the run. */
    outbound: Capability<"send", SendOutbound> | Capability<"deliver", DeliverOutbound>;
  }
}

export interface OutboundParts extends HookParts {
  readonly engine: Pick<Engine, "operate">;
  readonly ids: Ids;
}

/** Category of the tool that delivers, which no agent has. */
export const deliveryHarness = "delivery";

/** Over some hours. */
const retry = { attempts: 12, delayMs: 5_000, mostDelayMs: 2 * 60 * 60_000 };

/** Gives `ctx.outbound`. `parts` is asked at the first call: it holds the engine that the capability is given to. `http`: what delivers. */
export function outboundCapability(parts: () => OutboundParts, http: CapabilityProvider<"http">): CapabilityProvider<"outbound"> {
  return {
    name: "outbound",
    // A person named the channel and where it leads, when the hook was made.
    weigh: () => ({ changes: true, openWorld: false }),
    open: (effect, site): SendOutbound | DeliverOutbound =>
      effect === "send"
        ? { send: (message) => enqueue(message, site, parts()) }
        : { deliver: (message) => deliver(message, site, { parts: parts(), http }) },
  };
}

async function enqueue(
  { to, content }: Pick<OutboundMessage, "to" | "content">,
  { principal, callId, key }: CallSite,
  parts: OutboundParts,
) {
  const { hook, channel } = await openFor(principal, parts);
  if (channel.outgoing?.needsRecipient && to === undefined)
    throw new ToolwrightError("invalid_input", `The channel ${channel.name} reaches several people. Say whom the message is to.`);
  const message = parts.ids.next("msg");
  const input = toJson({ message, at: parts.clock.now(), content, to });
  // The turn of a process that died makes the call again, with the same key.
  const idempotencyKey = key ?? callId;
  const request = { tool: "outbound_deliver", input, idempotencyKey, retry };
  const { id } = await parts.engine.operate(admitHarness(hookPrincipal(hook), [deliveryHarness]), "jobs.enqueue", request);
  return { message, job: id };
}

interface Delivering {
  readonly parts: OutboundParts;
  readonly http: CapabilityProvider<"http">;
}

async function deliver(message: OutboundMessage, site: CallSite, { parts, http }: Delivering): Promise<number | undefined> {
  const { hook, channel, key } = await openFor(site.principal, parts);
  const { target, credential } = hook;
  if (!channel.outgoing || target === undefined) return undefined;
  const request = channel.outgoing.write({ message, target, key, now: parts.clock.now() });
  // A getter, which a copy does not take along.
  const { signal } = site;
  const way = http.open("write", {
    ...site,
    signal,
    judge: (reach) => permit(site.judge(reach), reach, request.url),
  });
  const sent = way.request({ ...request, maxRedirects: 0, maxBytes: 10_000, ...(credential !== undefined && { credential }) });
  const { status } = await (channel.outgoing.mayRepeat ? sent : sent.catch(refuseRepeating));
  if (status === 429 || status >= 500) throw answered(hook, status);
  return status;
}

/** Who made the hook said yes to its target, and to no other. What the policy denies stays denied. */
function permit(decision: Decision, reach: Reach, url: string): Decision {
  return decision.effect === "ask" && reach.kind === "request" && reach.url === url ? { ...decision, effect: "allow" } : decision;
}

const answered = ({ name }: Hook, status: number) =>
  new ToolwrightError("connection_failed", `The target of the hook ${name} answered ${status}. The message is sent again later.`);

/** A message that may have arrived is not sent again. */
function refuseRepeating(error: unknown): never {
  const details = ToolwrightError.is(error) ? error.details : undefined;
  const wasSent = typeof details === "object" && details !== null && "sent" in details;
  if (!wasSent) throw error;
  throw new ToolwrightError("call_lost", "The message was sent and its answer lost. It may have arrived, so it is not sent again.", {
    cause: error,
  });
}

async function openFor(principal: Principal, parts: OutboundParts): Promise<OpenHook> {
  const id = hookIn(principal);
  const found = id === undefined ? undefined : await findOpen(id, parts);
  if (!found)
    throw new ToolwrightError("effect_refused", "No hook that sends messages began this run. Say in your answer what is to be said.");
  return found;
}

/** The hook that began the run in which somebody acts. */
function hookIn({ actor, delegated }: Principal): string | undefined {
  return hookOf(actor) ?? (delegated && hookIn(delegated.from));
}
