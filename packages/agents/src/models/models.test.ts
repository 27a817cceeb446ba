import type { LanguageModelV4Prompt, LanguageModelV4Usage } from "@ai-sdk/provider";
import { createMemorySecretStore } from "@toolwright/engine/ports";
import { APICallError } from "ai";
import { describe, expect, it, test } from "vitest";
import { describeModelError, failureOf, isPassing, reportModelError } from "../turn/model-error.ts";
import { addUsage, estimateOf, usageOf } from "../turn/turn-usage.ts";
import { costOf } from "./cost.ts";
import { markPrompt } from "./mark-prompt.ts";
import { contextWindowOf } from "./model-facts.ts";
import { modelKeys } from "./model-keys.ts";

const usage = (total: number | undefined, { read = 0, write = 0, output = 0 }: { read?: number; write?: number; output?: number } = {}) =>
  ({
    inputTokens: { total, noCache: undefined, cacheRead: read, cacheWrite: write },
    outputTokens: { total: output, text: undefined, reasoning: undefined },
  }) satisfies LanguageModelV4Usage;

describe("the cost of a request", () => {
  const million = 1_000_000;
  test.each([
    ["input and output", "anthropic/claude-opus-5-5", usage(million, { output: million }), 24],
    ["input from the cache and into it", "anthropic/claude-opus-5-5", usage(million, { read: million / 2, write: million / 2 }), 2.6],
    ["a cache whose writing costs as other input", "openai/gpt-5", usage(200_000, { write: 200_000 }), 0.25],
    ["a long request, all of it", "openai/gpt-5.4", usage(272_001, { output: 1_000 }), 1.382_505],
    ["one that is just not long", "openai/gpt-5.4", usage(272_000, { output: 1_000 }), 0.695],
    ["a billionth", "openai/gpt-5-nano", usage(1, { read: 1 }), 0.000_000_005],
    ["a model without a price", "openai-compatible/llama", usage(10), undefined],
    ["a count that is missing", "openai/gpt-5", usage(undefined), undefined],
    ["a name that is no model", "constructor", usage(10), undefined],
  ])("is known for %s", (_, id, spent, cost) => expect(costOf(id, spent)).toBe(cost));

  it("is added up without drift, and stays away where nobody knows it", () => {
    expect(addUsage({ cost: 0.1 }, { cost: 0.2, estimated: true })).toEqual({ cost: 0.3, estimated: true });
    expect(addUsage({ inputTokens: 1 }, { inputTokens: 2 })).toEqual({ inputTokens: 3 });
  });

  it.each([
    ["a picture as a picture", "image/png", 57_000, 1_600],
    ["a document by its pages", "application/pdf", 120_000, 6_000],
  ])("counts %s, whatever its bytes are as text", (_, mediaType, size, tokens) => {
    const file = { type: "file" as const, mediaType, data: { type: "data" as const, data: Buffer.alloc(size).toString("base64") } };
    expect(estimateOf([file])).toBeGreaterThanOrEqual(tokens);
    expect(estimateOf([file])).toBeLessThan(tokens + 50);
  });

  it("takes no number that is no number of tokens", () => {
    const request = { prompt: [{ role: "system" as const, content: "12345678" }] };
    const spent = usageOf({ id: "x/y", usage: usage(-1, { read: 0.5, output: 3 }), request, answer: [] });
    expect(spent).toEqual({ inputTokens: expect.any(Number), cacheWriteTokens: 0, outputTokens: 3, estimated: true });
    expect(spent.inputTokens).toBeGreaterThan(0);
  });

  it("tells reasoning apart from the rest of the output, where the provider does", () => {
    const request = { prompt: [] };
    const counted = usage(10, { output: 8 });
    const thought = { ...counted, outputTokens: { ...counted.outputTokens, reasoning: 5 } };
    expect(usageOf({ id: "x/y", usage: thought, request, answer: [] })).toMatchObject({ outputTokens: 8, reasoningTokens: 5 });
    expect(usageOf({ id: "x/y", usage: counted, request, answer: [] })).not.toHaveProperty("reasoningTokens");
    expect(addUsage({ reasoningTokens: 5 }, { reasoningTokens: 2 })).toEqual({ reasoningTokens: 7 });
  });
});

test.each([
  ["openai/gpt-5", 272_000],
  ["bedrock/us.anthropic.claude-opus-4-8", 1_000_000],
  ["bedrock/anthropic.claude-sonnet-4-5-20250929-v1:0", 200_000],
  ["bedrock/eu.amazon.nova-pro-v1:0", 300_000],
  ["bedrock/meta.llama3-70b-instruct-v1:0", undefined],
])("%s takes %s tokens", (id, tokens) => expect(contextWindowOf(id)).toBe(tokens));

test("marks stand after the instructions, the last message and the one that the request before ended with, and nowhere else", () => {
  const text = (role: "user" | "assistant", said: string) => ({ role, content: [{ type: "text" as const, text: said }] });
  const prompt: LanguageModelV4Prompt = [
    { role: "system", content: "Be kind." },
    ...[text("user", "a"), text("assistant", "b"), text("user", "c"), text("assistant", "d"), text("user", "e"), text("user", "f")],
  ];
  const marked = markPrompt(prompt, (message) => ({ ...message, providerOptions: { x: { mark: true } } }));
  expect(marked.map(({ providerOptions }) => providerOptions !== undefined)).toEqual([true, false, false, true, false, false, true]);
  expect(JSON.stringify(prompt)).not.toContain("mark");
});

test("keys are the agent's, then the tenant's, and the operator's for one tenant alone", async () => {
  const secrets = createMemorySecretStore();
  const keys = modelKeys({ secrets, operator: { tenant: "default", keys: new Map([["openai_api_key", "operators"]]) } });
  await secrets.set({ tenant: "acme", name: "openai_api_key" }, "tenants");
  await secrets.set({ tenant: "acme", name: "openai_api_key", agent: "helper" }, "helpers");
  const read = (tenant: string, agent: string) => keys("openai_api_key", { tenant, agent, conversation: "c" });
  expect(await read("acme", "helper")).toBe("helpers");
  expect(await read("acme", "other")).toBe("tenants");
  expect(await read("default", "other")).toBe("operators");
  expect(await read("beta", "other")).toBeUndefined();
});

const failed = (statusCode: number | undefined, responseBody = "") =>
  new APICallError({ message: "No.", url: "u", requestBodyValues: {}, ...(statusCode !== undefined && { statusCode }), responseBody });

describe("a failure of a model", () => {
  const words = { "context-too-long": /too long/, "quota-spent": /no credit/ };
  test.each([
    ["401", failed(401), "key-refused", false],
    ["402", failed(402), "quota-spent", false],
    ["403", failed(403), "access-refused", false],
    ["404", failed(404), "model-unknown", false],
    ["413", failed(413), "context-too-long", false],
    ["429", failed(429), "busy", true],
    ["429 without credit", failed(429, "no credit"), "quota-spent", false],
    ["400", failed(400), "refused", false],
    ["400 that is too long", failed(400, "too long"), "context-too-long", false],
    ["503", failed(503), "down", true],
    ["an error in an answer", { message: "Overloaded", statusCode: 529 }, "down", true],
    ["a server that is away", failed(undefined), "broken", true],
    ["a network that breaks", new Error("fetch failed"), "broken", true],
    ["a defect", new TypeError("x is no function"), "broken", false],
  ])("%s", (_, error, failure, passing) => {
    expect(failureOf(error, words)).toBe(failure);
    expect(isPassing(error, words)).toBe(passing);
    const told = describeModelError(error, { id: "p/m", words });
    expect(told).toMatchObject({ code: "model_unavailable", details: { failure } });
    expect(told.message).not.toMatch(/\(\)|no credit\b.*too long|x is no function/);
  });

  it("is in the operator's log without keys, and not at length", () => {
    const keys = ["secret-key-1", "ab"];
    const { status, said } = reportModelError(failed(401, `secret-key-1 sk-proj-****abcd AKIA12345678 ab${"x".repeat(5_000)}`), {
      id: "p/m",
      keys,
    });
    expect(status).toBe(401);
    expect(said).toContain("No.\n[redacted] [redacted] [redacted] ab");
    expect(said.length).toBeLessThanOrEqual(2_000);
  });
});
