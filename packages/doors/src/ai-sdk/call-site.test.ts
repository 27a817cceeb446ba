import type { ModelMessage } from "ai";
import { expect, it } from "vitest";
import { siteOf } from "./call-site.ts";

const user: ModelMessage = { role: "user", content: "Go." };
const calls = (...ids: string[]): ModelMessage => ({
  role: "assistant",
  content: ids.map((toolCallId) => ({ type: "tool-call", toolCallId, toolName: "pay", input: {} })),
});
const results = (...ids: string[]): ModelMessage => ({
  role: "tool",
  content: ids.map((toolCallId) => ({ type: "tool-result", toolCallId, toolName: "pay", output: { type: "text", value: "Paid." } })),
});
const yes: ModelMessage = { role: "tool", content: [{ type: "tool-approval-response", approvalId: "a1", approved: true }] };
const at = (id: string, messages: readonly ModelMessage[], conversation = "s1") => siteOf(id, messages, conversation);

it("gives a call the same key when it is made and when its conversation goes on", () => {
  const before = [user, calls("c1"), results("c1")];
  const made = at("c2", before);
  expect(made.again).toBe(false);
  expect(at("c2", [...before, calls("c2"), yes])).toEqual({ key: made.key, again: true });
});

it.each<readonly [string, ReturnType<typeof at>]>([
  ["a later step with the same id", at("c1", [user, calls("c1"), results("c1")])],
  ["another id", at("c2", [user])],
  ["another conversation", at("c1", [user], "s2")],
])("gives %s another key", (_, site) => {
  expect(site.again).toBe(false);
  expect(site.key).not.toBe(at("c1", [user]).key);
});

it("takes a call whose result is there for one that is over, and an open one beside it for open", () => {
  const messages = [user, calls("c1", "c2"), results("c1")];
  expect([at("c1", messages).again, at("c2", messages).again]).toEqual([false, true]);
});
