import type { ModelMessage } from "ai";
import { describe, expect, it } from "vitest";
import { type AgentLimits, usualLimits } from "../agent/agent-profile.ts";
import { checkPrice, countRepeats, estimateRequest, judgeRequest } from "./turn-limits.ts";

const user: ModelMessage = { role: "user", content: "Go." };
/** One step with one call each; providers may use an id twice. */
const step = (input: string, value: string): ModelMessage[] => [
  { role: "assistant", content: [{ type: "tool-call", toolCallId: "1", toolName: "note", input: { text: input } }] },
  { role: "tool", content: [{ type: "tool-result", toolCallId: "1", toolName: "note", output: { type: "text", value } }] },
];
const model = "anthropic/claude-sonnet-4-5";
const none = { tokens: 0, cost: 0 };
const limitsOf = (own: Partial<AgentLimits>, shared = own) => ({ own: { ...usualLimits, ...own }, shared: { ...usualLimits, ...shared } });

describe("the limit of cost", () => {
  const limits = limitsOf({ cost: 1 });
  const next = estimateRequest({ model, messages: [user], lastInput: 50_000 });
  const judge = (cost: number, taken = none, within = limits) =>
    judgeRequest({ messages: [user], steps: 1, next, usage: { cost }, taken }, within);

  it("leaves room for the next request, which costs no less than the last one", () => {
    expect(judge(0.7)).toEqual({});
    expect(judge(0.8)).toMatchObject({ limit: "cost" });
    expect(() => judge(0.9)).toThrow(/limit of cost/);
  });

  it("is that of the turn which began a sub-agent, with what all of them took", () => {
    const shared = limitsOf({}, { cost: 1 });
    expect(judge(5, none, shared)).toEqual({});
    expect(() => judge(0, { tokens: 0, cost: 0.9 }, shared)).toThrow(/limit of cost/);
  });

  it("refuses a model without a price, and asks for none where there is no such limit", () => {
    expect(() => checkPrice("openai-compatible/qwen3", limits)).toThrow(/no known price/);
    expect(() => checkPrice("openai-compatible/qwen3", limitsOf({}, { cost: 1 }))).toThrow(/no known price/);
    expect(() => checkPrice(model, limits)).not.toThrow();
    expect(() => checkPrice("openai-compatible/qwen3", limitsOf({}))).not.toThrow();
  });
});

describe("repeats", () => {
  it.each<[string, ModelMessage[], number]>([
    ["the same call with the same result", [user, ...step("a", "x"), ...step("a", "x"), ...step("a", "x")], 3],
    ["another input", [user, ...step("a", "x"), ...step("b", "x")], 1],
    ["another result", [user, ...step("a", "x"), ...step("a", "y")], 1],
    ["other calls between", [user, ...step("a", "x"), ...step("b", "x"), ...step("a", "x")], 2],
    ["a message between", [user, ...step("a", "x"), user, ...step("a", "x")], 1],
    ["no call", [user], 0],
  ])("of %s", (_what, messages, times) => {
    expect(countRepeats(messages)).toBe(times);
  });
});
