import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { digest } from "./digest.ts";
import { asJson, canonicalJson, copyJson, findBrokenText, findNonJson } from "./json.ts";

describe("canonical JSON", () => {
  it("gives equal text for equal values, whatever the order of keys", () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue()), (value) => {
        const reversed = Object.fromEntries(Object.entries(value).reverse());
        expect(canonicalJson(reversed)).toBe(canonicalJson(value));
        expect(JSON.parse(canonicalJson(value))).toEqual(JSON.parse(JSON.stringify(value)));
      }),
    );
  });

  it("gives different digests for different values", () => {
    expect(digest({ a: 1 })).not.toBe(digest({ a: 2 }));
    expect(digest({ a: "1" })).not.toBe(digest({ a: 1 }));
    expect(digest(["ab"])).not.toBe(digest(["a", "b"]));
  });
});

describe("a copy as JSON carries it", () => {
  const asJson = (value: unknown) => JSON.parse(JSON.stringify(value));

  it("is what comes of the text", () => {
    fc.assert(
      fc.property(fc.anything({ withDate: true, withSparseArray: true, maxDepth: 4 }), (value) => {
        expect(copyJson({ value })).toEqual(asJson({ value }));
      }),
    );
  });

  it("shares nothing with the value, and takes no key for a prototype", () => {
    const value = JSON.parse('{"list":[{"a":1}],"__proto__":{"b":[2]}}');
    const copied = copyJson(value);
    expect(JSON.stringify(copied)).toBe(JSON.stringify(value));
    value.list[0].a = 3;
    Reflect.getOwnPropertyDescriptor(value, "__proto__")?.value.b.push(4);
    expect(JSON.stringify(copied)).toBe('{"list":[{"a":1}],"__proto__":{"b":[2]}}');
    expect(Object.getPrototypeOf(copied)).toBe(Object.prototype);
  });

  it("has what stands for an object that JSON has no form for", () => {
    const write = (value: object) => (value instanceof Uint8Array ? `${value.length} bytes` : undefined);
    expect(copyJson({ files: [new Uint8Array(3)] }, write)).toEqual({ files: ["3 bytes"] });
  });

  it("refuses what JSON refuses", () => {
    expect(() => copyJson({ n: 1n })).toThrow(TypeError);
  });
});

describe("finding what JSON cannot carry", () => {
  const cycle: Record<string, unknown> = { a: {} };
  (cycle.a as Record<string, unknown>).b = cycle;
  const cases: [string, unknown, string, RegExp][] = [
    ["a BigInt", { n: 1n }, "/n", /bigint/],
    ["a cycle", cycle, "/a/b", /cycle/],
    ["a function", { list: [() => 1] }, "/list/0", /function/],
    ["a symbol", Symbol("s"), "/", /symbol/],
    ["a hole", { list: Object.assign([1], { 2: 3 }) }, "/list/1", /undefined/],
    ["NaN", { n: Number.NaN }, "/n", /NaN/],
    ["a Date", { at: new Date(0) }, "/at", /Date/],
    ["a Map", new Map(), "/", /Map/],
    ["undefined in an array", [undefined], "/0", /undefined/],
  ];
  it.each(cases)("names %s and its place", (_, value, path, problem) => {
    expect(findNonJson(value)).toEqual({ path, problem: expect.stringMatching(problem) });
  });

  it("accepts every JSON value, and the same object twice side by side", () => {
    fc.assert(fc.property(fc.jsonValue(), (value) => findNonJson(value) === undefined));
    const shared = { a: 1 };
    expect(findNonJson([shared, shared, { shared }])).toBeUndefined();
  });

  it("refuses nesting that would overflow the stack", () => {
    let deep: unknown = 1;
    for (let level = 0; level < 100_000; level += 1) deep = [deep];
    expect(findNonJson(deep)?.problem).toMatch(/deeper than/);
  });
});

describe("text that no store can hold", () => {
  it.each([
    ["a NUL character", { a: [{ b: "x\0" }] }, "/a/0/b"],
    ["a lone surrogate", ["\ud800"], "/0"],
    ["the name of a member", { a: { "b\0": 1 } }, "/a"],
    ["the whole value", "\0", "/"],
    ["nothing", { "\u{1F600}": ["\uFFFD", null, 1, true] }, undefined],
  ])("is found: %s", (_, value, path) => {
    expect(findBrokenText(value)).toBe(path);
  });
});

interface Reading {
  readonly at: number;
  readonly notes?: readonly { readonly text: string }[] | undefined;
}

it("takes what an interface says for JSON, and by its type nothing that JSON cannot carry", () => {
  const reading: Reading = { at: 1, notes: [{ text: "clear" }] };
  expect(asJson(reading)).toBe(reading);
  // @ts-expect-error A date is no JSON.
  asJson({ at: new Date(0) });
  // @ts-expect-error Nor is a function.
  asJson([{ read: () => 1 }]);
});
