import type { Channel } from "./channel.ts";
import { standardWebhooks } from "./standard-webhooks.ts";

/** Sends nothing: what the agent says is in the log. */
export const log: Channel = { name: "log", ...standardWebhooks };
