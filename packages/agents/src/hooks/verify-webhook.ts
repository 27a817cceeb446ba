import { type Logger, type Principal, ToolwrightError } from "@toolwright/engine";
import {
  type Clock,
  type Hook,
  type Hooks,
  hookPrincipal,
  isSignedWith,
  type SecretStore,
  type SignedWebhook,
  webhookKey,
} from "@toolwright/engine/ports";
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
  /** False for one that was signed more than five minutes ago, or for later. */
  readonly isFresh: boolean;
  /** The call that has the agent answer what was sent. */
  call(text: string): { readonly tool: string; readonly input: { readonly agent: string; readonly message: string } };
}

const toleranceMs = 5 * 60_000;

/** Undefined for a hook that there is not, and for what its secret did not sign: who sends learns nothing of which it was. */
export async function verifyWebhook(id: string, webhook: SignedWebhook, parts: HookParts): Promise<VerifiedWebhook | undefined> {
  const hook = await parts.hooks.find(id);
  const key = hook && (await keyOf(hook, parts));
  if (!hook || !key) return undefined;
  if (!isSignedWith(webhook, key)) {
    parts.logger.log("warn", `A request to the hook ${hook.name} is not signed with the secret ${hook.secret}.`, { tenant: hook.tenant });
    return undefined;
  }
  return {
    principal: hookPrincipal(hook),
    isFresh: isFresh(webhook.timestamp, parts.clock.now()),
    call: (text) => ({ tool: "agent_run", input: { agent: hook.agent, message: writeHookMessage(hook.name, text) } }),
  };
}

async function keyOf({ tenant, name, secret }: Hook, { secrets, logger }: HookParts): Promise<Uint8Array | undefined> {
  const value = await secrets.get(tenant, secret).catch((error: unknown) => {
    if (!ToolwrightError.is(error) || error.code !== "secret_unreadable") throw error;
    return undefined;
  });
  const key = value === undefined ? undefined : webhookKey(value);
  if (!key)
    logger.log("warn", `The hook ${name} takes nothing: set its secret ${secret} to whsec_ and base64 of 24 to 64 bytes.`, { tenant });
  return key;
}

const isFresh = (timestamp: string, now: number) => /^\d{1,12}$/.test(timestamp) && Math.abs(now - Number(timestamp) * 1000) <= toleranceMs;
