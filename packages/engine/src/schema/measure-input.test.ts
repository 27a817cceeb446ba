import { describe, expect, test } from "vitest";
import { refuseOversized } from "./parse-input.ts";

function nest(levels: number, wrap: (inner: unknown) => unknown): unknown {
  let value: unknown = 1;
  for (let level = 0; level < levels; level++) value = wrap(value);
  return value;
}

function cycle(): unknown {
  const value: Record<string, unknown> = {};
  value.self = value;
  return value;
}

const membersOf = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, member) => [`m${member}`, member]));

describe("R-MC-9 an input is measured before it is looked at", () => {
  const refused: [name: string, input: unknown, reason: string][] = [
    ["100 000 arrays deep", nest(100_000, (inner) => [inner]), "nested deeper than 64"],
    ["10 000 objects deep", nest(10_000, (inner) => ({ inner })), "nested deeper than 64"],
    ["65 levels", nest(65, (inner) => [inner]), "nested deeper than 64"],
    ["a cycle", cycle(), "nested deeper than 64"],
    ["one text of 10 MiB", { text: "x".repeat(10 * 1024 * 1024) }, "4194304 bytes"],
    ["text whose characters need three bytes", "€".repeat(1_500_000), "4194304 bytes"],
    ["long member names", { ["x".repeat(5_000_000)]: 1 }, "4194304 bytes"],
    ["too many items", Array.from({ length: 50_001 }, () => 1), "50000 members"],
    ["an object of too many members", [membersOf(10_001)], "An object of the input has more than 10000 members. Send a list"],
    ["a sparse array", new Array(4_000_000_000), "50000 members"],
    ["a small value that repeats itself", nest(40, (inner) => [inner, inner]), "50000 members"],
  ];
  test.each(refused)("refuses %s", (_, input, reason) => {
    expect(refuseOversized(input)).toContain(reason);
  });

  const accepted: [name: string, input: unknown][] = [
    ["64 levels", nest(64, (inner) => [inner])],
    ["nothing", undefined],
    ["objects of as many members as one may have", [membersOf(10_000), membersOf(10_000)]],
    ["4 MiB of text", "x".repeat(4 * 1024 * 1024)],
    ["a prototype as a name", JSON.parse('{"__proto__":{"a":1}}')],
  ];
  test.each(accepted)("accepts %s", (_, input) => {
    expect(refuseOversized(input)).toBeUndefined();
  });

  test("limits can be set", () => {
    expect(refuseOversized([[1]], { maxDepth: 1 })).toContain("1 levels");
    expect(refuseOversized([1, 2], { maxKeys: 1 })).toContain("1 members");
    expect(refuseOversized("abc", { maxBytes: 2 })).toContain("2 bytes");
  });
});
