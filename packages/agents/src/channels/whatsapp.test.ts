import { createHmac } from "node:crypto";
import type { Json } from "@toolwright/engine";
import { expect, test } from "vitest";
import { whatsapp } from "./whatsapp.ts";

const key = Buffer.from("a secret of an app");
const number = "106540352240001";
const target = `https://graph.example.com/v21.0/${number}`;

interface Message {
  readonly id: string;
  readonly from?: string;
  readonly from_user_id?: string;
  readonly group_id?: string;
}
const change = (to: string, ...messages: readonly Message[]) => ({
  field: "messages",
  value: {
    messaging_product: "whatsapp",
    metadata: { phone_number_id: to },
    messages: messages.map((each) => ({ type: "text", ...each })),
  },
});
const webhook = (...changes: readonly object[]): Json =>
  JSON.parse(JSON.stringify({ object: "whatsapp_business_account", entry: [{ id: "1", changes }] }));

function idOf(json: Json): string | undefined {
  const body = Buffer.from(JSON.stringify(json));
  const signature = `sha256=${createHmac("sha256", key).update(body).digest("hex")}`;
  return whatsapp.verify({ header: (name) => (name === "x-hub-signature-256" ? signature : ""), body }, key, 0)?.id;
}
const sent = (to: string) => {
  const message = { id: "m", at: 0, to, content: { text: "Hello" } };
  return JSON.parse(String(whatsapp.outgoing?.write({ message, target, key, now: 0 }).body)) as Record<string, unknown>;
};

const ann = { id: "wamid.1", from: "16505550001" };
const bea = { id: "wamid.2", from_user_id: "US.1349120865530274" };

test("what is for another number than the target names is left out", () => {
  const [own, other] = [change(number, ann), change("209990000000001", bea)];
  expect(whatsapp.partFor?.(webhook(own), { target })).toEqual(webhook(own));
  expect(whatsapp.partFor?.(webhook(other), { target })).toBeUndefined();
  expect(whatsapp.partFor?.(webhook(other, own), { target: `${target}/` })).toEqual(webhook(own));
  expect(whatsapp.partFor?.(webhook(other), { target: "https://relay.example.com/out" })).toEqual(webhook(other));
});

test.each<[name: string, messages: readonly Message[], sender: string | undefined]>([
  ["a number", [ann], "16505550001"],
  ["a user id alone", [bea, { ...bea, id: "wamid.3" }], "US.1349120865530274"],
  ["several people", [ann, bea], undefined],
  [
    "people of one group",
    [
      { ...ann, group_id: "Y2FwaV9n" },
      { ...bea, group_id: "Y2FwaV9n" },
    ],
    "Y2FwaV9n",
  ],
])("the sender of messages from %s", (_name, messages, sender) => {
  expect(whatsapp.senderOf?.(webhook(change(number, ...messages)))).toBe(sender);
});

test("a message that comes again in another body is the same, and one of another body with the same words is not", () => {
  const first = idOf(webhook(change(number, ann)));
  expect(idOf(JSON.parse(JSON.stringify({ again: true, ...Object(webhook(change(number, ann))) })))).toBe(first);
  expect(idOf(webhook(change(number, ann, bea)))).toBe(idOf(webhook(change(number, bea), change(number, ann))));
  expect(idOf(webhook(change(number, { ...ann, id: "wamid.9" })))).not.toBe(first);
  expect(idOf(webhook({ field: "messages", value: { statuses: [{ id: "wamid.1" }] } }))).not.toBe(first);
});

test.each<[to: string, recipient: object]>([
  ["16505550001", { recipient_type: "individual", to: "16505550001" }],
  ["+1 650 555-0001", { recipient_type: "individual", to: "+1 650 555-0001" }],
  ["US.1349120865530274", { recipient_type: "individual", recipient: "US.1349120865530274" }],
  ["US.ENT.1349120865530274", { recipient_type: "individual", recipient: "US.ENT.1349120865530274" }],
  ["Y2FwaV9n", { recipient_type: "group", to: "Y2FwaV9n" }],
])("a message to %s goes there", (to, recipient) => {
  const { messaging_product: _, type, text, ...rest } = sent(to);
  expect([rest, type, text]).toEqual([recipient, "text", { preview_url: false, body: "Hello" }]);
});
