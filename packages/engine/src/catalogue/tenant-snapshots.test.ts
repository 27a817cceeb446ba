import { expect, it } from "vitest";
import { z } from "zod";
import type { Principal } from "../contract/principal.ts";
import { createEngine } from "../engine.ts";
import type { TenantTool, TenantToolRows } from "../ports/tenant-tools.ts";
import { defineTool } from "../tool/define-tool.ts";

const make = (name: string, more: object = {}) =>
  defineTool({ name, description: `The tool ${name}.`, input: z.object({}), output: z.object({}), run: () => ({}), ...more });
const own: TenantTool = {
  tool: "own",
  title: "Own",
  group: "own",
  description: "An own tool.",
  inputSchema: { type: "object", properties: {}, additionalProperties: false },
  outputSchema: { type: "object", properties: {}, additionalProperties: false },
  approval: "auto",
  execution: null,
};
const person: Principal = { tenant: "acme", actor: { kind: "user", id: "ann" }, permissions: ["catalogue:explain"], door: "cli" };

function open(first: TenantToolRows) {
  const state = { rows: first };
  const logged: string[] = [];
  const listeners = new Set<() => void>();
  const engine = createEngine({
    tools: [make("read"), make("room_end", { visibility: { harness: "room" } })],
    tenantTools: {
      of: (tenant) => (tenant === "acme" ? state.rows : undefined),
      onChange(listener) {
        listeners.add(listener);
        return () => listeners.delete(listener);
      },
    },
    logger: { log: (_, message, fields) => logged.push(`${message} ${String(fields?.error ?? "")}`) },
  });
  return { state, logged, engine, listeners, scope: engine.scope(person, { session: "s" }) };
}

it("sees a change of rows with the next look, and keeps what did not change", () => {
  const { state, scope } = open({ overrides: [], custom: [own] });
  const before = scope.find("own");
  expect(scope.list().map(({ name }) => name)).toEqual(["own", "read"]);
  state.rows = { overrides: [{ tool: "read", title: "Read it" }], custom: [{ ...own }] };
  expect(scope.find("read")?.title).toBe("Read it");
  expect(scope.find("own")?.input).toBe(before?.input);
  state.rows = { overrides: [], custom: [] };
  expect(scope.list().map(({ title }) => title)).toEqual(["Read"]);
});

it("leaves out, and says so, what would be wider than its row, broken, or in the place of code", () => {
  const { scope, logged } = open({
    overrides: [{ tool: "read", limits: { timeoutMs: 9_000_000 } }],
    custom: [{ ...own, tool: "room_end" }, { ...own, tool: "broken", inputSchema: { type: "string" } }, own],
  });
  expect(scope.list().map(({ name }) => name)).toEqual(["own"]);
  expect(logged.join("\n")).toMatch(/"read" of tenant "acme" is left out.*\n.*"room_end".*came with the code.*\n.*"broken"/s);
});

it("tells whoever follows the engine of changed rows, until it is closed", async () => {
  const { engine, listeners } = open({ overrides: [], custom: [] });
  let told = 0;
  engine.onChange(() => {
    told += 1;
  });
  for (const listener of listeners) listener();
  expect(told).toBe(1);
  await engine.close();
  expect(listeners.size).toBe(0);
});

it("surveys every tool with its reasons, but those of other runtimes, for who may know of them", () => {
  const { engine, scope } = open({ overrides: [{ tool: "read", visibility: { optIn: true } }], custom: [own] });
  expect(scope.survey().map(({ tool, admission }) => [tool.name, admission.admitted])).toEqual([
    ["own", true],
    ["read", false],
  ]);
  expect(engine.scope({ ...person, harness: ["room"] }, { session: "s" }).survey()).toHaveLength(3);
  expect(engine.scope({ ...person, permissions: [] }, { session: "s" }).survey()).toEqual([]);
});
