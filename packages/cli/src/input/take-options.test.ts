import { Option } from "commander";
import { expect, test } from "vitest";
import { takeOptions } from "./take-options.ts";

const known = [new Option("--policy <file>"), new Option("--json"), new Option("--idempotency-key <text>")];
const take = (words: readonly string[], fields: readonly string[] = []) =>
  takeOptions(words, known, { isField: (name) => fields.includes(name), refuse: (message) => new Error(message) });

test.each<[string, string[], string[], object]>([
  ["an option and its value", ["--path", "a", "--policy", "p.yaml"], [], { options: { policy: "p.yaml" }, words: ["--path", "a"] }],
  ["a value after =", ["--policy=p=q", "-"], [], { options: { policy: "p=q" }, words: ["-"] }],
  ["a switch", ["--json", "{}"], [], { options: { json: true }, words: ["{}"] }],
  ["a switch with a value, which is no option", ["--json=false"], [], { options: {}, words: ["--json=false"] }],
  ["a name of two words", ["--idempotency-key", "k"], [], { options: { idempotencyKey: "k" }, words: [] }],
  ["nothing that the tool has", ["--policy", "long", "--json"], ["policy"], { options: { json: true }, words: ["--policy", "long"] }],
  ["nothing behind --", ["--json", "--", "--policy", "x"], [], { options: { json: true }, words: ["--policy", "x"] }],
])("takes %s", (_, words, fields, expected) => {
  expect(take(words, fields)).toMatchObject(expected);
});

test("an option without its value is refused", () => {
  expect(() => take(["--policy"])).toThrow(/--policy needs a value/);
});
