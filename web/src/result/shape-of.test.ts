import { describe, expect, test } from "vitest";
import { shapeOf, sortRows, toCsv } from "./shape-of.ts";

describe("the shape of an answer", () => {
  test.each([
    { name: "text", value: "a", kind: "text" },
    { name: "a number", value: 3, kind: "text" },
    { name: "Markdown where the schema says so", value: "# a", schema: { contentMediaType: "text/markdown" }, kind: "markdown" },
    { name: "JSON where the schema says so", value: '[{"a":1}]', schema: { contentMediaType: "application/json" }, kind: "table" },
    { name: "JSON that was cut", value: '[{"a":1}', schema: { contentMediaType: "application/json" }, kind: "text" },
    { name: "objects as rows", value: [{ a: 1 }, { b: 2 }], kind: "table" },
    { name: "objects without a member", value: [{}], kind: "list" },
    { name: "other lists", value: [1, { a: 1 }], kind: "list" },
    { name: "an empty list", value: [], kind: "list" },
    { name: "an object", value: { a: 1 }, kind: "members" },
    { name: "nothing", value: null, kind: "nothing" },
  ])("$name is $kind", ({ value, schema, kind }) => {
    expect(shapeOf(value, schema).kind).toBe(kind);
  });

  test("rows have every column that one of them has", () => {
    expect(shapeOf([{ a: 1 }, { b: 2, a: 3 }])).toMatchObject({ columns: ["a", "b"] });
  });
});

test("rows sort by size or by text, and do not change", () => {
  const rows = [
    { n: 10, t: "b2" },
    { n: 9, t: "b10" },
    { n: 11, t: "a" },
  ];
  expect(sortRows(rows, "n", "up").map(({ n }) => n)).toEqual([9, 10, 11]);
  expect(sortRows(rows, "t", "down").map(({ t }) => t)).toEqual(["b10", "b2", "a"]);
  expect(rows[0]?.n).toBe(10);
});

test.each([
  { name: "a formula", cell: "=1+1", csv: "'=1+1" },
  { name: "a plus", cell: "+1", csv: "'+1" },
  { name: "an at", cell: "@SUM(A1)", csv: "'@SUM(A1)" },
  { name: "a tab", cell: "\t=1", csv: "'\t=1" },
  { name: "a carriage return", cell: "\r=1", csv: `"'\r=1"` },
  { name: "a negative number", cell: -5, csv: "-5" },
  { name: "a text that begins with a minus", cell: "-5", csv: "'-5" },
  { name: "quotes and commas", cell: 'a,"b"', csv: '"a,""b"""' },
  { name: "lines", cell: "a\nb", csv: '"a\nb"' },
  { name: "an object", cell: { a: 1 }, csv: '"{""a"":1}"' },
  { name: "nothing", cell: null, csv: "" },
])("$name is no formula in a spreadsheet", ({ cell, csv }) => {
  expect(toCsv(["c"], [{ c: cell }])).toBe(`c\r\n${csv}\r\n`);
});
