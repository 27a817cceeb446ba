import { agentTools, outboundTools, roomTools, scheduleTools } from "@toolwright/agents";
import { browserTools } from "@toolwright/browser/tools";
import { createEngine } from "@toolwright/engine";
import { silentLogger } from "@toolwright/engine/ports";
import { productTools } from "@toolwright/tools";
import { describe, expect, test } from "vitest";
import { buildServer } from "../packages/doors/src/mcp/build-server.ts";
import { operations } from "../scripts/product-subjects.ts";
import { mcpMethods } from "./growth/door-inputs.ts";
import { growInput, missingMembers } from "./growth/grow-inputs.ts";
import { growsTooFast, medianOf } from "./growth/judge-growth.ts";
import { inputOf, operationInputs } from "./growth/operation-inputs.ts";
import { sizes } from "./growth/shapes.ts";
import { toolInputOf, toolInputs } from "./growth/tool-inputs.ts";

const made = { approval: "a", room: "r", session: "s", upload: "u" };
const tools = [...productTools, ...browserTools, ...agentTools, ...scheduleTools, ...outboundTools, ...roomTools];
const capabilities = [...new Set(tools.flatMap(({ effects = {} }) => Object.keys(effects)))].map((name) => ({ name, open: () => ({}) }));
const schemas = createEngine({ tools, capabilities: capabilities as never })
  .snapshot()
  .tools.map(({ name, input }) => ({ name, schema: input({ tenant: "t", agent: undefined, attributes: {} }) }));

test("npm run growth has an input for every tool that its schema takes, and for nothing else", () => {
  expect(Object.keys(toolInputs).filter((name) => !tools.some((each) => each.name === name))).toEqual([]);
  const refused = schemas.flatMap(({ name, schema }) => {
    const declared = toolInputOf(name, schema.json);
    const parsed = "base" in declared && !(name in toolInputs) ? schema.parse(declared.base) : { ok: true as const };
    return parsed.ok ? [] : `${name}: ${JSON.stringify(parsed.issues)}`;
  });
  expect(refused).toEqual([]);
});

test("npm run growth has an input for every operation that its schema takes, and for nothing else", () => {
  expect(Object.keys(operationInputs).filter((name) => !operations.some((each) => each.name === name))).toEqual([]);
  const refused = operations.flatMap((operation) => {
    const declared = inputOf(operation);
    const parsed = "base" in declared ? operation.input.parse(declared.base(made)) : { ok: true as const };
    return parsed.ok ? [] : `${operation.name}: ${JSON.stringify(parsed.issues)}`;
  });
  expect(refused).toEqual([]);
});

test("npm run growth has an input for every MCP method that the door handles, and for nothing else", () => {
  const serving = {
    serverInfo: { name: "growth", version: "1" },
    prompts: {},
    resources: { onUpdated: () => () => {} },
    complete: () => {},
  };
  const parts = { serving, seal: {}, answerTtlMs: 1, logger: silentLogger };
  const handled = (["legacy", "modern"] as const).flatMap((era) => {
    const handlers: ReadonlyMap<string, unknown> = Reflect.get(buildServer(parts as never, era), "_requestHandlers");
    return [...handlers.keys()];
  });
  expect(Object.keys(mcpMethods).sort()).toEqual([...new Set(handled)].sort());
});

test("each text, list and object that an operation takes is in its input", () => {
  const missing = operations.flatMap((operation) => {
    const { name, input } = operation;
    const declared = inputOf(operation);
    const base = "base" in declared ? declared.base(made) : {};
    return missingMembers(base, input.json).map((member) => `${name}: ${member}`);
  });
  expect(missing).toEqual([]);
});

test("each text, list and object that a tool takes is in its input", () => {
  const missing = schemas.flatMap(({ name, schema }) => {
    const declared = toolInputOf(name, schema.json);
    return "exempt" in declared ? [] : missingMembers(declared.base, schema.json).map((member) => `${name}: ${member}`);
  });
  expect(missing).toEqual([]);
});

test("an input grows with its size, one member at a time, to the bound of its schema", () => {
  const schema = { type: "object", properties: { name: { type: "string", maxLength: 800 }, kind: { enum: ["a"] }, any: {} } };
  const grown = growInput({ name: "n", kind: "a", any: {} }, schema);
  const texts = grown.filter(({ shape }) => shape.startsWith("name"));
  expect(texts.map(({ at }) => sizes.map((size) => (at(size) as { name: string }).name.length))).toEqual(
    texts.map(() => [100, 200, 400, 800]),
  );
  expect(new Set(grown.map(({ shape }) => shape.split(":")[0]))).toEqual(new Set(["name", "any"]));
});

describe("time that grows faster than the input and passes 250 ms", () => {
  test.each<[name: string, times: object, grows: boolean]>([
    ["grows with the square", { 1: 10, 2: 40, 4: 160, 8: 640 }, true],
    ["doubles with each character", { 1: 2, 2: 2, 4: 3, 8: 900 }, true],
    ["takes so long that larger inputs are left out", { 1: 1_500, 2: 6_000 }, true],
    ["grows as the input does", { 1: 100, 2: 200, 4: 400, 8: 800 }, false],
    ["stays below the bound", { 1: 2, 2: 8, 4: 32, 8: 128 }, false],
  ])("%s", (_name, times, grows) => {
    expect(growsTooFast(times)).toBe(grows);
  });
  test("counts by the median of its rounds", () => {
    expect(medianOf([5, 900, 6])).toBe(6);
  });
});
