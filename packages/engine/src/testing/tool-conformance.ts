import assert from "node:assert/strict";
import { type CompiledTool, compileTool } from "../catalogue/compile-tool.ts";
import type { CallResult } from "../contract/call.ts";
import { errorCodes, ToolwrightError } from "../contract/errors.ts";
import type { Json, JsonObject } from "../contract/json.ts";
import type { Principal } from "../contract/principal.ts";
import { createEngine } from "../engine.ts";
import type { EngineOptions } from "../engine-types.ts";
import type { CapabilityName, CapabilityProvider } from "../ports/capability.ts";
import { compileForTarget, schemaTargets } from "../schema/targets/compile-for-target.ts";
import type { Scope } from "../scope-types.ts";
import { type AnyTool, isToolDefinition } from "../tool/define-tool.ts";
import { capabilitiesOf, weightsOf } from "../tool/effects.ts";
import { say } from "../tool/question.ts";
import type { ConformanceCase } from "./conformance-case.ts";

export interface ToolSubject {
  /** Where it came from, for messages. */
  readonly source: string;
  readonly definition: unknown;
}

const tester: Principal = { tenant: "test", actor: { kind: "user", id: "tester" }, permissions: [], door: "cli", unattended: true };

/** What every tool must do, users' own included. Tools that change nothing are run with their examples, through the whole gate. */
export function toolConformance(subjects: readonly ToolSubject[], options: Omit<EngineOptions, "tools"> = {}): readonly ConformanceCase[] {
  return subjects.flatMap((subject) => casesFor(subject, options));
}

function casesFor({ source, definition }: ToolSubject, options: Omit<EngineOptions, "tools">): ConformanceCase[] {
  const name = isToolDefinition(definition) ? definition.name : source;
  const wellFormed: ConformanceCase = {
    name: `${name}: is well formed`,
    run: async () => {
      assert.ok(isToolDefinition(definition), `${source}: the default export is not a tool. Write \`export default defineTool({...})\`.`);
      compileWhole(definition, { kind: "pack", source });
    },
  };
  const tool = tryCompile(definition, { source, capabilities: options.capabilities ?? [] });
  if (!tool) return [wellFormed];
  const missing = missingCapabilities(tool, options);
  const capabilities = [...(options.capabilities ?? []), ...missing.map(refusingProvider)];
  const scope = () =>
    createEngine({ ...options, capabilities, tools: [tool.definition] }).scope(
      { ...tester, permissions: tool.definition.permission ? [tool.definition.permission] : [] },
      { session: "conformance" },
    );
  return [
    ...[wellFormed, describedCase(tool), aliasesCase(tool), targetsCase(tool), hostileCase(tool, scope)],
    ...[...exampleCases(tool, scope, missing), ...questionCases(tool)],
  ];
}

interface Compiling {
  readonly source: string;
  readonly capabilities: NonNullable<EngineOptions["capabilities"]>;
}

function tryCompile(definition: unknown, { source, capabilities }: Compiling): CompiledTool | undefined {
  try {
    if (!isToolDefinition(definition)) return undefined;
    return compileWhole(definition as AnyTool, { kind: "pack", source }, { weights: weightsOf(capabilities) });
  } catch {
    return undefined;
  }
}

/** With its schemas, which a tool that was checked before would leave for later. */
function compileWhole(...given: Parameters<typeof compileTool>): CompiledTool {
  const tool = compileTool(...given);
  assert.ok(tool.hash);
  return tool;
}

function inputJson(tool: CompiledTool): JsonObject {
  return tool.input({ tenant: tester.tenant, agent: undefined, attributes: {} }).json;
}

function describedCase(tool: CompiledTool): ConformanceCase {
  return {
    name: `${tool.name}: explains itself and each member of its input`,
    run: async () => {
      assert.ok(
        tool.definition.description.trim().length >= 20,
        `The description is too short to act on. Say when to use the tool and when not.`,
      );
      const members = Object.entries((inputJson(tool).properties ?? {}) as Record<string, JsonObject>);
      const silent = members.filter(([, schema]) => !isDescribed(schema)).map(([member]) => member);
      assert.deepEqual(silent, [], `Members without a description: ${silent.join(", ")}. Add .describe("...").`);
    },
  };
}

function isDescribed(schema: JsonObject): boolean {
  const variants = (schema.anyOf ?? schema.oneOf ?? []) as readonly JsonObject[];
  return typeof schema.description === "string" || variants.some(isDescribed);
}

function aliasesCase(tool: CompiledTool): ConformanceCase {
  return {
    name: `${tool.name}: names as aliases only members that it has, and no member as an alias`,
    run: async () => {
      const members = new Set(Object.keys(inputJson(tool).properties ?? {}));
      for (const [alias, member] of Object.entries(tool.definition.aliases ?? {})) {
        assert.ok(members.has(member), `The alias ${alias} names ${member}, which the input does not have.`);
        assert.ok(!members.has(alias), `${alias} is a member of the input: it cannot be an alias, too.`);
      }
    },
  };
}

function targetsCase(tool: CompiledTool): ConformanceCase {
  return {
    name: `${tool.name}: has a schema for every provider`,
    run: async () => {
      for (const target of schemaTargets)
        assert.ok(compileForTarget({ name: tool.name, inputSchema: inputJson(tool) }, target).inputSchema, `No schema for ${target}.`);
    },
  };
}

const hostileInputs: readonly (readonly [string, () => unknown])[] = [
  ["nothing", () => undefined],
  ["null", () => null],
  ["a string", () => "text"],
  ["an array", () => []],
  ["an unknown member", () => ({ "no such member": 1 })],
  ["a prototype member", () => JSON.parse('{"__proto__":{"polluted":true},"constructor":1}')],
  ["6 MB of text", () => ({ text: "x".repeat(6_000_000) })],
  ["deep nesting", () => deeplyNested(10_000)],
];

function deeplyNested(depth: number): Json {
  let value: Json = 1;
  for (let level = 0; level < depth; level += 1) value = { value };
  return value;
}

function hostileCase(tool: CompiledTool, scope: () => Scope): ConformanceCase {
  return {
    name: `${tool.name}: answers hostile input with a result`,
    run: async () => {
      for (const [what, make] of hostileInputs) {
        const input = make();
        if (tool.input({ tenant: tester.tenant, agent: undefined, attributes: {} }).parse(input).ok) continue;
        assertNoDefect(await scope().invokeNamed(tool.name, input), what);
      }
      assert.equal(({} as Record<string, unknown>).polluted, undefined, "Input reached the prototype of all objects.");
    },
  };
}

function assertNoDefect(result: CallResult, what: string): void {
  if (result.status === "failed" && errorCodes[result.error.code].kind === "defect")
    assert.fail(`${what}: ${result.error.code}: ${result.error.message}`);
}

function missingCapabilities({ effects }: CompiledTool, { capabilities = [] }: Pick<EngineOptions, "capabilities">): CapabilityName[] {
  const available = new Set(["secrets", ...capabilities.map((provider) => provider.name)]);
  return capabilitiesOf(effects).filter((capability) => !available.has(capability));
}

/** Stands in for a capability that the caller of the suite does not have: no handler gets it. */
function refusingProvider(name: CapabilityName): CapabilityProvider {
  return {
    name,
    open: () => {
      throw new ToolwrightError("effect_refused", `There is no ${name} here.`);
    },
  };
}

function exampleCases(tool: CompiledTool, scope: () => Scope, missing: readonly CapabilityName[]): ConformanceCase[] {
  const reason = tool.facts.weight.changes ? "it changes things" : missing.length > 0 ? `it needs ${missing.join(", ")}` : undefined;
  return (tool.definition.examples ?? []).map((example) => ({
    name: `${tool.name}: example "${example.label}" gives a result that fits its output schema`,
    ...(reason !== undefined && { skip: `Not run, because ${reason}.` }),
    run: async () => {
      const result = await scope().invokeNamed(tool.name, example.input);
      assertNoDefect(result, example.label);
      assert.notEqual(result.status, "unknown");
    },
  }));
}

/** Cases of a tool that asks in its own words. */
function questionCases({ name, definition: { ask, examples = [] } }: CompiledTool): ConformanceCase[] {
  if (!ask) return [];
  return examples.map(({ label, input }) => ({
    name: `${name}: asks a person about the example "${label}" in one question`,
    run: async () => {
      // What is in quotes is the caller's.
      const question = ask(input as never, say).replace(/"[^"]*"/g, '""');
      assert.match(
        question,
        /^\P{Ll}[^?\uff1f\u061f]*[?\uff1f\u061f]$/u,
        "Begin with a capital letter, and end with the one question mark.",
      );
      assert.doesNotMatch(question, /undefined|null|\[object/, "A member that is not given has no place in the question.");
    },
  }));
}
