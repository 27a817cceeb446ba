import { expect, expectTypeOf, test } from "vitest";
import { z } from "zod";
import type { CallResult } from "./contract/call.ts";
import type { Json } from "./contract/json.ts";
import type { Principal } from "./contract/principal.ts";
import { createEngine } from "./engine.ts";
import type { Scope } from "./scope-types.ts";
import { type AnyTool, defineTool } from "./tool/define-tool.ts";

const wordCount = defineTool({
  name: "word_count",
  description: "Count the words of a text.",
  input: z.object({ text: z.string(), limit: z.int().default(100) }),
  output: z.object({ words: z.int() }),
  run: ({ text, limit }) => ({ words: Math.min(limit, text.split(/\s+/).filter(Boolean).length) }),
});
const anything = defineTool({
  name: "anything",
  description: "Give back what came.",
  input: ({ tenant }) => z.object({ text: z.string().describe(tenant) }),
  output: z.object({ text: z.string() }) as z.ZodType,
  run: ({ text }) => ({ text }),
});
const principal: Principal = { tenant: "acme", actor: { kind: "user", id: "ann" }, permissions: [], door: "cli" };
const engine = createEngine({ tools: [wordCount, anything] });
const scope = engine.scope(principal, { session: "s1" });

test("a scope knows input and output of the tools that its engine was given", async () => {
  const result = await scope.invoke("word_count", { text: "three short words" });
  if (result.status !== "done") throw new Error(JSON.stringify(result));
  expect(result.output.words).toBe(3);
  expectTypeOf(result.output).toEqualTypeOf<{ words: number }>();
  expectTypeOf(await scope.invoke("anything", { text: "a" })).toEqualTypeOf<CallResult<Json>>();
  expectTypeOf(result).toExtend<CallResult>();
});

test("a wrong name, a wrong input and a wrong member of the output do not compile", async () => {
  // @ts-expect-error: there is no such tool.
  expect(await scope.invoke("word_cuont", { text: "a" })).toMatchObject({ status: "failed", error: { code: "tool_not_found" } });
  // @ts-expect-error: the member is called text.
  expect(await scope.invoke("word_count", { txt: "a" })).toMatchObject({ status: "failed", error: { code: "invalid_input" } });
  const result = await scope.child({ agent: "reader" }).invoke("word_count", { text: "a", limit: 1 });
  // @ts-expect-error: the member is called words.
  if (result.status === "done") expect(result.output.count).toBeUndefined();
});

test("names that are known only at run time have a call of their own, which every scope has", async () => {
  const loaded: readonly AnyTool[] = [wordCount];
  const untyped = createEngine({ tools: loaded }).scope(principal, { session: "s1" });
  // @ts-expect-error: the compiler knows none of these tools.
  expect(await untyped.invoke("word_count", { text: "a b" })).toMatchObject({ output: { words: 2 } });
  expectTypeOf(await untyped.invokeNamed("word_count", { text: "a b" })).toEqualTypeOf<CallResult>();
  expectTypeOf(scope).toExtend<Scope>();
});
