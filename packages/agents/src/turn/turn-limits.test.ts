import { describe, expect, it } from "vitest";
import { type TurnLimits, usualLimits } from "../agent/agent-profile.ts";
import { budgetOf, checkPrice, judgeRequest } from "./turn-limits.ts";

const model = "anthropic/claude-sonnet-4-5";
const none = { tokens: 0, cost: 0 };
const limitsOf = (own: Partial<TurnLimits>, shared = own) => ({ own: { ...usualLimits, ...own }, shared: { ...usualLimits, ...shared } });

describe("the limit of cost", () => {
  const limits = limitsOf({ cost: 1 });
  const next = budgetOf(model, 50_000);
  const judge = (cost: number, taken = { ...none, cost }, within = limits) =>
    judgeRequest({ steps: 1, repeats: 0, next, usage: { cost }, taken }, within);

  it("leaves room for the next request, and for one more to answer", () => {
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
    expect(() => checkPrice("openai-compatible/qwen3", limitsOf({ costADay: 1 }))).toThrow(/no known price/);
    expect(() => checkPrice(model, limits)).not.toThrow();
    expect(() => checkPrice("openai-compatible/qwen3", limitsOf({}))).not.toThrow();
  });
});
