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
    return { id: idOf(body), isFresh: true };
  },
  partFor(json, { target }) {
    const number = numberIn(target);
    const isForIt = ({ value }: Members) => {
      const { phone_number_id: id } = membersOf(membersOf(value).metadata);
      return id === undefined || id === number;
    };
    const changes = changesIn(json);
    const wanted = changes.filter(isForIt);
    if (number === undefined || wanted.length === changes.length) return json;
    if (wanted.length === 0) return undefined;
    const entries = itemsOf(membersOf(json).entry).map((entry) => ({ ...entry, changes: itemsOf(entry.changes).filter(isForIt) }));
    return JSON.parse(JSON.stringify({ ...membersOf(json), entry: entries.filter(({ changes: left }) => left.length > 0) })) as Json;
  },
  isMessage: (json) => changesIn(json).some(({ value }) => Array.isArray(membersOf(value).messages)),
  senderOf(json) {
    const senders = new Set(messagesIn(json).map(({ group_id: group, from, from_user_id: user }) => group ?? from ?? user));
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
      body: JSON.stringify({ messaging_product: "whatsapp", ...recipientOf(message.to ?? ""), ...contentOf(message) }),
    }),
  },
};

/** A phone number, the id of a user who shows no number (`US.1349…`), or that of a group. */
function recipientOf(to: string) {
  if (/^[A-Z]{2}\.[\w.]+$/.test(to)) return { recipient_type: "individual", recipient: to };
  return { recipient_type: /^[-+() .\d]*$/.test(to) ? "individual" : "group", to };
}

/** The number that the hook sends from: the end of its target's path. */
const numberIn = (target: string | undefined) => /\/(\d{1,30})\/*$/.exec(target ?? "")?.[1];

/** That of its messages, since Meta sends one again in another body, too; without any, that of the body. */
function idOf(body: Uint8Array): string {
  const ids = messagesIn(parsed(body)).flatMap(({ id }) => (typeof id === "string" ? [id] : []));
  return sha256(ids.length === 0 ? Buffer.from(body).toString("base64") : JSON.stringify(["messages", ...[...new Set(ids)].sort()]));
}

function parsed(body: Uint8Array): Json {
  try {
    return JSON.parse(Buffer.from(body).toString()) as Json;
  } catch {
    return null;
  }
}

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
const messagesIn = (json: Json): readonly Members[] => changesIn(json).flatMap(({ value }) => itemsOf(membersOf(value).messages));
