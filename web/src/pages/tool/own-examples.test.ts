import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { addOwnExample, readOwnExamples, removeOwnExample, renameOwnExample } from "./own-examples.ts";

const ann = { tenant: "acme", person: "ann", tool: "exec" };
const tool = { inputSchema: { properties: { key: { type: "string", writeOnly: true } } }, presentation: {} };
const kept = new Map<string, string>();

beforeEach(() => {
  kept.clear();
  vi.stubGlobal("localStorage", {
    getItem: (name: string) => kept.get(name) ?? null,
    setItem: (name: string, value: string) => void kept.set(name, value),
    removeItem: (name: string) => void kept.delete(name),
  });
});
afterEach(() => vi.unstubAllGlobals());

test("an example is kept for one person, tenant and tool, without what is secret", () => {
  addOwnExample(ann, { label: "mine", input: { command: "ls", key: "s" } }, tool);
  expect(readOwnExamples(ann)).toEqual([{ label: "mine", input: { command: "ls" } }]);
  for (const other of [{ tenant: "x" }, { person: "x" }, { tool: "x" }]) expect(readOwnExamples({ ...ann, ...other })).toEqual([]);
});

test("an example has a name of its own, which can change", () => {
  for (const label of ["one", "two"]) addOwnExample(ann, { label, input: {} }, tool);
  expect(() => addOwnExample(ann, { label: "one", input: {} }, tool)).toThrow("You have an example one already");
  expect(() => renameOwnExample(ann, { from: "two", to: "one" })).toThrow("You have an example one already");
  renameOwnExample(ann, { from: "two", to: "three" });
  renameOwnExample(ann, { from: "one", to: "one" });
  expect(readOwnExamples(ann).map(({ label }) => label)).toEqual(["one", "three"]);
});

test("what is removed leaves nothing behind", () => {
  addOwnExample(ann, { label: "one", input: {} }, tool);
  removeOwnExample(ann, "one");
  expect(kept.size).toBe(0);
});

test.each([["{"], ["null"], ['[1, {"label": 2, "input": 1}, {"label": "x"}]']])("what is no list of examples is none: %s", (text) => {
  kept.set('toolwright.examples.["acme","ann","exec"]', text);
  expect(readOwnExamples(ann)).toEqual([]);
});

test("a browser that keeps nothing says so", () => {
  vi.stubGlobal("localStorage", undefined);
  expect(() => addOwnExample(ann, { label: "one", input: {} }, tool)).toThrow("Your browser keeps nothing more here");
});
