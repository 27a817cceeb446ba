import { describe, expect, test } from "vitest";
import type { Principal } from "../contract/principal.ts";
import { compilePolicy } from "./compile-policy.ts";
import { defaultPolicy } from "./document/policy-document.ts";
import { type PolicyOption, tiersOf } from "./policy-option.ts";

const principal: Principal = { tenant: "acme", actor: { kind: "user", id: "ann" }, permissions: [], door: "cli" };
const facts = { sandbox: { available: true, detail: "test" } };
const effectOf = (option: PolicyOption, name = "refund") =>
  compilePolicy(tiersOf(option)).decide({ name, group: "shop", effects: {}, approval: "auto" }, [], facts, principal).effect;

describe("an engine takes a policy as", () => {
  test.each<[form: string, option: PolicyOption, effect: string]>([
    ["an autonomy", "supervised", "allow"],
    ["a shorthand that asks", { ask: ["refund"] }, "ask"],
    ["a shorthand that denies a group", { deny: ["group:shop"] }, "deny"],
    ["a shorthand that allows others only", { allow: ["lookup"] }, "deny"],
    ["a shorthand with an autonomy", { autonomy: "full", ask: ["refund"] }, "ask"],
    ["a document", { version: 1, tools: { ask: ["refund"] } }, "ask"],
    ["tiers", [{ tier: "platform", document: { version: 1, tools: { deny: ["refund"] } } }], "deny"],
  ])("%s", (_form, option, effect) => {
    expect(effectOf(option)).toBe(effect);
  });

  test("an autonomy or a shorthand, and the rest is the default", () => {
    expect(tiersOf("full")).toEqual([{ tier: "platform", document: { ...defaultPolicy, autonomy: "full" } }]);
    expect(tiersOf({})).toEqual([{ tier: "platform", document: defaultPolicy }]);
  });
});

test.each<[what: string, option: unknown, named: string]>([
  ["a mistyped autonomy", "supervized", "supervised"],
  ["an unknown member", { asks: ["refund"] }, "asks"],
  ["a handle that no tool can have", { ask: ["Refund me"] }, "Refund me"],
  ["nothing", null, "read_only"],
  ["a document of another version", { version: 2 }, "version"],
])("%s is refused, and the error says what to give", (_what, option, named) => {
  expect(() => tiersOf(option as PolicyOption)).toThrow(
    expect.objectContaining({ code: "policy_invalid", message: expect.stringContaining(named) }),
  );
});
