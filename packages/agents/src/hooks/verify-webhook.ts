import { createHmac } from "node:crypto";
import { type Json, type Logger, type Principal, ToolwrightError } from "@toolwright/engine";
import { type Clock, type Hook, type Hooks, hookPrincipal, type SecretStore } from "@toolwright/engine/ports";
import type { Channel, ReceivedWebhook } from "../channels/channel.ts";
import { findChannel } from "../channels/index.ts";
import { writeHookMessage } from "./write-hook-message.ts";

export interface HookParts {
  readonly hooks: Pick<Hooks, "find">;
  readonly secrets: Pick<SecretStore, "get">;
  readonly clock: Pick<Clock, "now">;
  /** Hears why a hook takes nothing. */
  readonly logger: Logger;
}

/** A request that the secret of a hook signed. */
export interface VerifiedWebhook {
  /** As whom its hook acts. */
  readonly principal: Principal;
  /** Id of the delivery; a delivery that is sent again keeps it. */
  readonly id: string;
  /** False for one that was signed more than five minutes ago, or for later. */
  readonly isFresh: boolean;
  /** The call that has the agent answer; undefined for what nobody has to answer. */
  call(text: string, json: Json): HookCall | undefined;
}

export interface HookCall {
  readonly tool: string;
  readonly input: { readonly agent: string; readonly message: string; readonly conversation?: string };
}

/** Undefined for a hook that there is not, and for what its secret did not sign: who sends learns nothing of which it was. */
export async function verifyWebhook(id: string, webhook: ReceivedWebhook, parts: HookParts): Promise<VerifiedWebhook | undefined> {
  const found = await findOpen(id, parts);
  if (!found) return undefined;
  const { hook, channel, key } = found;
  const signed = channel.verify(webhook, key, parts.clock.now());
  if (!signed) {
    parts.logger.log("warn", `A request to the hook ${hook.name} is not signed with the secret ${hook.secret}.`, { tenant: hook.tenant });
    return undefined;
  }
  return {
    ...signed,
    principal: hookPrincipal(hook),
    call(text, json) {
      const part = channel.partFor ? channel.partFor(json, hook) : json;
      if (part === undefined) {
        parts.logger.log("warn", `A request to the hook ${hook.name} is for another number than its target names, and nobody answers it.`, {
          tenant: hook.tenant,
        });
        return undefined;
      }
      if (channel.isMessage?.(part) === false) return undefined;
      const sender = channel.senderOf?.(part);
      const conversation = sender === undefined ? {} : { conversation: conversationWith(sender, found) };
      const message = writeHookMessage(hook.name, part === json ? text : JSON.stringify(part));
      return { tool: "agent_run", input: { agent: hook.agent, message, ...conversation } };
    },
  };
}

/** Without the key, nobody finds it by trying out senders, such as phone numbers, and it tells nobody who they are. */
function conversationWith(sender: string, { hook, key }: OpenHook): string {
  const name = JSON.stringify(["conversation", hook.tenant, hook.id, sender]);
  return `ses_${createHmac("sha256", key).update(name).digest("hex").slice(0, 32)}`;
}

/** What a service gets that asks before it sends anything; undefined for a hook that there is not, and where it does not know it. */
export async function confirmHook(id: string, query: URLSearchParams, { hooks }: Pick<HookParts, "hooks">): Promise<string | undefined> {
  const hook = await hooks.find(id);
  return hook && findChannel(hook.channel)?.confirm?.(hook, query);
}

export interface OpenHook {
  readonly hook: Hook;
  readonly channel: Channel;
  readonly key: Uint8Array;
}

/** A hook with the key of its secret; undefined for one that there is not, or that nobody can sign for. */
export async function findOpen(id: string, { hooks, secrets, logger }: Omit<HookParts, "clock">): Promise<OpenHook | undefined> {
  const hook = await hooks.find(id);
  const channel = hook && findChannel(hook.channel);
  if (!channel) return undefined;
  const { tenant, name, secret } = hook;
  const value = await secrets.get(tenant, secret).catch((error: unknown) => {
    if (!ToolwrightError.is(error) || error.code !== "secret_unreadable") throw error;
    return undefined;
  });
  const key = value === undefined ? undefined : channel.keyOf(value);
  if (key) return { hook, channel, key };
  logger.log("warn", `The hook ${name} takes and sends nothing: set its secret ${secret} to ${channel.secretForm}.`, { tenant });
  return undefined;
}
