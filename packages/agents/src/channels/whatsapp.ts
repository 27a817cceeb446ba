import { createHmac, timingSafeEqual } from "node:crypto";
import type { Json } from "@toolwright/engine";
import { sha256 } from "@toolwright/engine/ports";
import type { Channel, OutboundMessage } from "./channel.ts";

/** The Cloud API of WhatsApp: the secret is that of the app, the target the URL of the phone number, and the credential its access token. */
export const whatsapp: Channel = {
  name: "whatsapp",
  keyOf: (secret) => (/^[\x21-\x7e]{16,256}$/.test(secret) ? Buffer.from(secret) : undefined),
  secretForm: "the app secret of Meta",
  verify({ header, body }, key) {
    const right = Buffer.from(`sha256=${createHmac("sha256", key).update(body).digest("hex")}`);
    const given = Buffer.from(header("x-hub-signature-256"));
    if (given.length !== right.length || !timingSafeEqual(given, right)) return undefined;
    // It names neither an id nor a time; one that comes again has the same body.
    return { id: sha256(Buffer.from(body).toString("base64")), isFresh: true };
  },
  isMessage: (json) => changesIn(json).some(({ value }) => Array.isArray(membersOf(value).messages)),
  senderOf(json) {
    const senders = new Set(changesIn(json).flatMap(({ value }) => itemsOf(membersOf(value).messages).map(({ from }) => from)));
    const [sender] = senders;
    return senders.size === 1 && typeof sender === "string" ? sender : undefined;
  },
  confirm({ id }, query) {
    const challenge = query.get("hub.challenge") ?? "";
    const isAsked = query.get("hub.mode") === "subscribe" && query.get("hub.verify_token") === id;
    return isAsked && /^\w{1,200}$/.test(challenge) ? challenge : undefined;
  },
  outgoing: {
    mayRepeat: false,
    needsRecipient: true,
    write: ({ message, target }) => ({
      url: `${target.replace(/(?<!\/)\/+$/, "")}/messages`,
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ messaging_product: "whatsapp", recipient_type: "individual", to: message.to, ...contentOf(message) }),
    }),
  },
};

function contentOf({ content }: OutboundMessage) {
  if ("text" in content) return { type: "text", text: { preview_url: false, body: content.text } };
  const { name, language, parameters } = content.template;
  const components = [{ type: "body", parameters: parameters.map((text) => ({ type: "text", text })) }];
  return { type: "template", template: { name, language: { code: language }, ...(parameters.length > 0 && { components }) } };
}

type Members = Readonly<Record<string, Json | undefined>>;

const membersOf = (value: Json | undefined): Members =>
  typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Members) : {};
const itemsOf = (value: Json | undefined): readonly Members[] => (Array.isArray(value) ? value.map((each: Json) => membersOf(each)) : []);
const changesIn = (json: Json): readonly Members[] => itemsOf(membersOf(json).entry).flatMap(({ changes }) => itemsOf(changes));
