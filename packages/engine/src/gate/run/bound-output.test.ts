import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Json } from "../../contract/json.ts";
import { type Bounded, boundOutput, jsonBytes } from "./bound-output.ts";

function bound(output: Json, maxBytes: number, artifact?: string): Bounded {
  const bounded = boundOutput(output, maxBytes, artifact);
  if (!bounded) throw new Error("expected the output to fit once it is cut");
  return bounded;
}

describe("bounding an output", () => {
  it("cuts a long string to head and tail, and says how much is missing", () => {
    const bounded = bound({ text: `HEAD${"x".repeat(100_000)}TAIL` }, 10_000, "art_1");
    const { text } = bounded.output as { text: string };
    expect(text.startsWith("HEAD")).toBe(true);
    expect(text.endsWith("TAIL")).toBe(true);
    expect(text).toMatch(/\n\[\.\.\. \d+ bytes left out \.\.\.\]\n/);
    expect(bounded.truncations).toEqual([{ path: "/text", unit: "bytes", total: 100_008, kept: expect.any(Number), artifact: "art_1" }]);
  });

  it("cuts a long array to its beginning, and says so", () => {
    const bounded = bound({ rows: Array.from({ length: 5000 }, (_, id) => ({ id, name: "row" })) }, 20_000);
    expect(bounded.truncations[0]).toMatchObject({ path: "/rows", unit: "items", total: 5000 });
    expect((bounded.output as { rows: Json[] }).rows[0]).toEqual({ id: 0, name: "row" });
  });

  it("gives up when there are only small members", () => {
    const many = Object.fromEntries(Array.from({ length: 5000 }, (_, index) => [`member_${index}`, index]));
    expect(boundOutput(many, 1000, undefined)).toBeUndefined();
  });

  it("never splits a character and always fits", () => {
    fc.assert(
      fc.property(
        fc.array(fc.string({ unit: "grapheme", minLength: 1, maxLength: 8 }), { minLength: 1, maxLength: 20 }),
        fc.integer({ min: 200, max: 2000 }),
        (parts, repeat) => {
          const bounded = bound({ text: parts.join("").repeat(repeat) }, 4000, "art_1");
          expect(jsonBytes(bounded.output)).toBeLessThanOrEqual(4000);
          expect((bounded.output as { text: string }).text.isWellFormed()).toBe(true);
          if (!parts.join("").includes("\ufffd")) expect((bounded.output as { text: string }).text).not.toContain("\ufffd");
        },
      ),
      { numRuns: 50 },
    );
  });
});
