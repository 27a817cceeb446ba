import { isSignedWith, webhookKey } from "@toolwright/engine/ports";
import type { Channel } from "./channel.ts";

const toleranceMs = 5 * 60_000;
/** No spaces: no key of anybody else's call has this form. */
const ids = /^[\x21-\x7e]{1,255}$/;

/** How webhooks come that are signed as Standard Webhooks 1.0.0 says. */
export const standardWebhooks: Pick<Channel, "keyOf" | "secretForm" | "verify"> = {
  keyOf: webhookKey,
  secretForm: "whsec_ and base64 of 24 to 64 bytes",
  verify({ header, body }, key, now) {
    const [id, timestamp, signature] = [header("webhook-id"), header("webhook-timestamp"), header("webhook-signature")];
    if (!ids.test(id) || !isSignedWith({ id, timestamp, signature, body }, key)) return undefined;
    return { id, isFresh: /^\d{1,12}$/.test(timestamp) && Math.abs(now - Number(timestamp) * 1000) <= toleranceMs };
  },
};
