import type { ModelMessage } from "ai";
import { expect, it } from "vitest";
import { Repeats } from "./repeats.ts";

const user: ModelMessage = { role: "user", content: "Go." };
/** One step with one call each; providers may use an id twice. */
const step = (input: string, value: string): ModelMessage[] => [
  { role: "assistant", content: [{ type: "tool-call", toolCallId: "1", toolName: "note", input: { text: input } }] },
  { role: "tool", content: [{ type: "tool-result", toolCallId: "1", toolName: "note", output: { type: "text", value } }] },
];

it.each<[string, ModelMessage[], number]>([
  ["the same call with the same result", [user, ...step("a", "x"), ...step("a", "x"), ...step("a", "x")], 3],
  ["another input", [user, ...step("a", "x"), ...step("b", "x")], 1],
  ["another result", [user, ...step("a", "x"), ...step("a", "y")], 1],
  ["other calls between", [user, ...step("a", "x"), ...step("b", "x"), ...step("a", "x")], 2],
  ["a message between", [user, ...step("a", "x"), user, ...step("a", "x")], 1],
  ["no call", [user], 0],
])("counts repeats: %s", (_what, messages, times) => {
  const repeats = new Repeats();
  repeats.read(messages);
  expect(repeats.most).toBe(times);
});
