import { createHmac, timingSafeEqual } from "node:crypto";

/** A webhook as Standard Webhooks 1.0.0 has it on the wire: the values of its headers, and its body. */
export interface SignedWebhook {
  /** `webhook-id`: the same for each time that it is sent. */
  readonly id: string;
  /** `webhook-timestamp`: seconds since the epoch. */
  readonly timestamp: string;
  /** `webhook-signature`: one or several, with spaces between. */
  readonly signature: string;
  readonly body: Uint8Array;
}

const prefix = "whsec_";
const version = "v1,";
/** Bytes of a key. */
const shortest = 24;
const longest = 64;

/** The key that a secret stands for; undefined for what is none. */
export function webhookKey(secret: string): Uint8Array | undefined {
  const text = secret.startsWith(prefix) ? secret.slice(prefix.length) : secret;
  if (!/^[A-Za-z0-9+/]+={0,2}$/.test(text)) return undefined;
  const key = Buffer.from(text, "base64");
  return key.length >= shortest && key.length <= longest ? key : undefined;
}

/** The header `webhook-signature`. */
export function signWebhook({ id, timestamp, body }: Omit<SignedWebhook, "signature">, key: Uint8Array): string {
  return `${version}${createHmac("sha256", key).update(`${id}.${timestamp}.`).update(body).digest("base64")}`;
}

/** True when one of the signatures is right. How old it is, is another question. */
export function isSignedWith({ signature, ...webhook }: SignedWebhook, key: Uint8Array): boolean {
  const right = Buffer.from(signWebhook(webhook, key));
  return signature.split(" ").some((each) => {
    const given = Buffer.from(each);
    return given.length === right.length && timingSafeEqual(given, right);
  });
}
