import { confirmHook, verifyWebhook } from "@toolwright/agents";
import type { Webhooks } from "@toolwright/doors/rest";
import type { Toolwright } from "../compose.ts";

/** How webhooks of others become messages to agents. */
export function webhookCalls({ store: { hooks, clock }, secrets, logger }: Pick<Toolwright, "store" | "secrets" | "logger">): Webhooks {
  return {
    verify: (hook, webhook) => verifyWebhook(hook, webhook, { hooks, secrets, clock, logger }),
    confirm: (hook, query) => confirmHook(hook, query, { hooks }),
  };
}
