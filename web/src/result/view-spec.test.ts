import { describe, expect, test } from "vitest";
import { artifactOf, figureText, filesIn, planSeries, rankRows, rowsOf, summaryOf, valueAt } from "./view-spec.ts";

test.each([
  { pointer: "", value: { a: [{ "b/c": 1, "~": 2 }] } },
  { pointer: "/a/0/b~1c", value: 1 },
  { pointer: "/a/0/~0", value: 2 },
  { pointer: "/a/1", value: undefined },
  { pointer: "/constructor", value: undefined },
  { pointer: "/a/0/b~1c/d", value: undefined },
])("$pointer leads to what is there, and nowhere else", ({ pointer, value }) => {
  expect(valueAt({ a: [{ "b/c": 1, "~": 2 }] }, pointer)).toEqual(value);
});

test("only a list of objects has rows", () => {
  expect(rowsOf([{ a: 1 }])).toEqual([{ a: 1 }]);
  for (const other of [[{ a: 1 }, 2], [[1]], [null], "a", { a: 1 }]) expect(rowsOf(other)).toBeUndefined();
});

describe("figures", () => {
  test("are those that the block names, else what holds one value", () => {
    const value = { total: 3, isPaid: true, lines: [1], note: "x" };
    const block = { block: "summary", data: "" } as const;
    expect(summaryOf(value, block).map(({ label }) => label)).toEqual(["Total", "Is paid", "Note"]);
    expect(summaryOf(value, { ...block, items: [{ name: "total", label: "Sum", unit: "€" }] })).toEqual([
      { name: "total", label: "Sum", unit: "€", value: 3 },
    ]);
    expect(summaryOf(7, { ...block, title: "Points" })).toEqual([{ name: "Points", label: "Points", value: 7 }]);
  });

  test.each([
    { value: 1234.5, unit: "€", text: "1234.5 €" },
    { value: 12_345, text: "12,345" },
    { value: 3, unit: "%", text: "3%" },
    { value: true, text: "yes" },
    { value: "", text: "–" },
    { value: undefined, unit: "€", text: "–" },
  ])("$value is $text", ({ value, unit, text }) => {
    expect(figureText(value, unit)).toBe(text);
  });
});

describe("what a chart draws", () => {
  const rows = [
    { year: "2026", gas: 1, pump: 4, note: null },
    { year: "2027", gas: 2, pump: 3, note: "x" },
  ];
  test("is every number by the first that is none", () => {
    expect(planSeries(rows, {})).toMatchObject({ by: "year", series: [{ name: "gas", label: "Gas" }, { name: "pump" }] });
  });
  test("is what the block names", () => {
    expect(planSeries(rows, { by: "note", series: [{ name: "pump", label: "Heat pump" }] })).toEqual({
      by: "note",
      series: [{ name: "pump", label: "Heat pump" }],
    });
  });
  test("is by the first number where there is nothing else", () => {
    expect(planSeries([{ year: 1, cost: 2 }], {})).toMatchObject({ by: "year", series: [{ name: "cost" }] });
  });
  test("is nothing without numbers", () => {
    expect(planSeries([{ a: "x" }], {})).toBeUndefined();
    expect(planSeries(rows, { series: [{ name: "note" }] })).toBeUndefined();
    expect(planSeries([], {})).toBeUndefined();
  });
});

test("a ranking begins with the largest, and leaves out what has no number", () => {
  const rows = [{ n: "a", p: 1 }, { n: "b", p: 4 }, { n: "c" }, { n: "d", p: -2 }];
  expect(rankRows(rows, { label: "n", score: "p" })).toEqual([
    { label: "b", score: 4, share: 1 },
    { label: "a", score: 1, share: 0.25 },
    { label: "d", score: -2, share: 0 },
  ]);
});

test.each([
  { name: "an id", value: "art_1", found: { id: "art_1", name: "a.png", mediaType: "image/png", size: 3 } },
  { name: "what the call was given", value: { id: "art_2", name: "b.csv", path: "/x" }, found: { id: "art_2", name: "b.csv" } },
  { name: "an id that nobody knows", value: "art_3", found: { id: "art_3" } },
  { name: "an address", value: { url: "https://evil.example/x.png" }, found: undefined },
  { name: "an address as text", value: "https://evil.example/x.png", found: undefined },
  { name: "nothing", value: "", found: undefined },
])("$name names an artifact or none", ({ value, found }) => {
  expect(artifactOf(value, [{ id: "art_1", name: "a.png", mediaType: "image/png", size: 3 }])).toEqual(found);
});

test("the files that a view offers are those of its file blocks", () => {
  const blocks = [
    { block: "file", data: "/one" },
    { block: "file", data: "/many" },
    { block: "image", data: "/picture", alt: "A" },
  ] as const;
  const output = { one: "art_1", many: [{ id: "art_2" }, "art_3"], picture: "art_4" };
  expect(filesIn({ version: 1, blocks }, output).map(({ id }) => id)).toEqual(["art_1", "art_2", "art_3"]);
});
