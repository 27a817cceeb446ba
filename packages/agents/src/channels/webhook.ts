import { signWebhook } from "@toolwright/engine/ports";
import type { Channel } from "./channel.ts";
import { standardWebhooks } from "./standard-webhooks.ts";

/** Sends webhooks that are signed as those which come, with the same secret. */
export const webhook: Channel = {
  name: "webhook",
  ...standardWebhooks,
  outgoing: {
    // By its id, who receives it knows one that comes again.
    mayRepeat: true,
    needsRecipient: false,
    write({ message: { id, at, to, content }, target, key, now }) {
      const data = { ...content, ...(to !== undefined && { to }) };
      const body = Buffer.from(JSON.stringify({ type: "message.sent", timestamp: new Date(at).toISOString(), data }));
      const timestamp = String(Math.floor(now / 1000));
      const signature = signWebhook({ id, timestamp, body }, key);
      const headers = { "webhook-id": id, "webhook-timestamp": timestamp, "webhook-signature": signature };
      return { url: target, method: "POST", body, headers: { "content-type": "application/json", ...headers } };
    },
  },
};
