import { agentTools, roomTools, scheduleTools } from "@toolwright/agents";
import { createEngine, type Json, notedSchema, type ToolView } from "@toolwright/engine";
import { READ_LOG, RUN_AGENTS } from "@toolwright/engine/ports";
import { compileJsonSchemaForTarget, exampleBudget, type OfferedTool, offerTool, schemaTargets } from "@toolwright/engine/schema";
import { drawFrom, drawValue } from "@toolwright/engine/testing";
import { builtinPermissions, builtinTools } from "@toolwright/tools";
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { findRefusals } from "./schema-refusals.ts";
import { compileForAll, expectToSurvive } from "./survives.ts";

/** Those that everybody may have: what only turns of agents have, no door lists. */
const tools = [...builtinTools, ...agentTools, ...scheduleTools, ...roomTools].filter(
  ({ visibility }) => visibility?.harness === undefined,
);
const permissions = [...builtinPermissions, RUN_AGENTS, READ_LOG];
const principal = { tenant: "t", actor: { kind: "user", id: "u" }, permissions, door: "cli" } as const;
const capabilities = ["files", "exec", "http", "git", "agents", "rooms", "schedules"].map((name) => ({ name, open: () => ({}) }));
const engine = createEngine({ tools, capabilities: capabilities as never });
const views: readonly ToolView[] = engine.scope(principal, { session: "s" }).list();

/** What RE2 or Python's `re` does not compile, by its look: properties, look-around, references, named groups, code points, sets of sets. */
const unreadable = /\\[pPkucX1-9]|\(\?(?!:)|\[\^?\]|\[[^\]\\]*\[|[*+?}][*+]|\{\d{4,}/;

function* nodesOf(value: Json): Generator<Record<string, Json>> {
  if (typeof value !== "object" || value === null) return;
  if (!Array.isArray(value)) yield value as Record<string, Json>;
  for (const child of Object.values(value)) yield* nodesOf(child);
}

test("every built-in tool is here", () => expect(views.map(({ name }) => name).sort()).toEqual(tools.map(({ name }) => name).sort()));

/** In the order in which a person reads it. Outputs are the same for all: only MCP sends them. */
function readable(
  { name, description, inputSchema, outputSchema, inputExamples, losses, rewrites, strict, tokens }: OfferedTool,
  target: string,
) {
  const output = target.startsWith("mcp") ? outputSchema : undefined;
  return {
    name,
    description,
    inputSchema,
    outputSchema: output,
    inputExamples,
    strict,
    losses: losses.map(({ path, keyword, goesTo }) => `${path || "/"} ${keyword}: ${goesTo}`),
    rewrites: rewrites.map(({ path, form }) => `${path || "/"} ${form}`),
    tokens,
  };
}

test.each(views)("$name: generated inputs survive every target and pass the tool's own check", ({ inputSchema, unionSchema, input }) => {
  const own = unionSchema ?? inputSchema;
  const targets = compileForAll(own);
  let checked = 0;
  fc.assert(
    fc.property(fc.array(fc.nat(0xffff), { maxLength: 40 }), (chosen) => {
      const value = drawValue(own, drawFrom(chosen));
      const outcome = input["~standard"].validate(value);
      // A check across members or of a text's meaning is not in the schema.
      if (value === undefined || outcome instanceof Promise || outcome.issues) return;
      checked += 1;
      expectToSurvive(value, own, targets);
      for (const { readInput, writeInput } of targets)
        expect(input["~standard"].validate(readInput(writeInput(value)))).not.toHaveProperty("issues");
    }),
    { numRuns: 15 },
  );
  expect(checked).toBeGreaterThan(0);
});

describe.each(schemaTargets)("%s", (target) => {
  const offered = views.map((view) => offerTool(view, target));

  test("is given what its golden file holds", async () => {
    const lines = offered.map((each) => JSON.stringify(readable(each, target), null, 1));
    await expect(`${lines.join("\n")}\n`).toMatchFileSnapshot(`./golden/${target}.golden`);
  });

  test.each(views)("$name: the target refuses nothing of it", ({ inputSchema, unionSchema }) => {
    expect(findRefusals(compileJsonSchemaForTarget(unionSchema ?? inputSchema, target), target)).toEqual([]);
  });

  test.each(offered)(
    "$name: patterns compile in every language, and nothing is null that may not be",
    ({ inputSchema, outputSchema = {} }) => {
      const written = [inputSchema, notedSchema(outputSchema)];
      for (const { pattern, enum: values, const: value } of written.flatMap((json) => [...nodesOf(json)])) {
        if (typeof pattern === "string") expect(pattern).not.toMatch(unreadable);
        if (target !== "gemini" && !target.startsWith("mcp")) continue;
        expect(Array.isArray(values) ? values : []).not.toContain(null);
        expect(value).not.toBeNull();
      }
    },
  );

  test.each(offered)(
    "$name: has an example that a model sees, within the budget",
    ({ description, inputExamples, tokens, name, writeInput }) => {
      const own = views.find((view) => view.name === name)!;
      if (own.examples.length === 0) return;
      expect(tokens.examples).toBeGreaterThan(0);
      expect(tokens.examples).toBeLessThanOrEqual(exampleBudget);
      const seen = inputExamples ? JSON.stringify(inputExamples) : description.slice(own.description.length);
      expect(seen).toContain(JSON.stringify(writeInput(own.examples[0]!.input)));
    },
  );
});
