import type { ShellFlag } from "@toolwright/engine/shell";
import { expect, test } from "vitest";
import { createTestIo } from "../../../test/test-io.ts";
import type { GeneratedCommand } from "./generated-command.ts";
import { readMembers } from "./read-members.ts";

const flag = (member: string, flags: string, more: Partial<ShellFlag> = {}): ShellFlag => ({
  member,
  kind: "text",
  flags,
  about: "",
  ...more,
});
const command: GeneratedCommand = {
  ...{ operation: "agents.update", words: ["agents", "set"], about: "", effect: "write", help: "", view: {} },
  arguments: [{ form: "<agent>", member: "agent", kind: "text" }],
  gives: { enabled: true, limits: { cost: 1 } },
  options: [
    flag("limits", "--steps <count>", { kind: "number", into: "steps" }),
    flag("limits", "--tokens <count>", { kind: "number", into: "tokens" }),
    flag("features", "--off <feature...>", { kind: "texts", names: false }),
    flag("features", "--on <feature...>", { kind: "texts", names: true }),
    flag("by", "--by <text>"),
    flag("title", "--title <text>", { clears: "clear" }),
    flag("visibility", "--opt-in", { kind: "flag", into: "optIn", clears: "clear" }),
    flag("by", "--by-agent <text>", { as: "agent:{}" }),
  ],
};
const read = (options: Readonly<Record<string, unknown>>) => readMembers(createTestIo("/").io, command, { options, words: ["reviewer"] });

test("a command gives members by itself, and options say parts of one object together", async () => {
  expect(await read({})).toEqual({ agent: "reviewer", enabled: true, limits: { cost: 1 } });
  expect(await read({ steps: "20", tokens: "300", off: ["memory"], on: ["knowledge"] })).toEqual({
    agent: "reviewer",
    enabled: true,
    limits: { cost: 1, steps: 20, tokens: 300 },
    features: { memory: false, knowledge: true },
  });
});

test("an empty word, and a flag that is taken back, name what is not said any more", async () => {
  expect(await read({ title: "", optIn: false })).toMatchObject({ clear: ["title", "optIn"] });
  expect(await read({ title: "Read", optIn: true })).toMatchObject({ title: "Read", visibility: { optIn: true } });
});

test.each([
  ["one name with two options", { off: ["memory"], on: ["memory"] }, /"memory" with one option alone, not with --on/],
  ["a name that is none", { off: ["Memory!"] }, /--off "Memory!" is no name/],
  ["a name of every object", { on: ["__proto__"] }, /is no name/],
  ["two words for one member", { by: "ann", byAgent: "boss" }, /Leave --by-agent out/],
  ["a part that is no number", { steps: "many" }, /--steps is "many", which is not a number/],
])("refuses %s", async (_, options, words) => {
  await expect(read(options)).rejects.toThrow(words);
});

test("what a word holds is no pattern of what is written around it", async () => {
  expect(await read({ byAgent: "$& {} $'" })).toMatchObject({ by: "agent:$& {} $'" });
});
