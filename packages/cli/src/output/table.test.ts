import { expect, test } from "vitest";
import { renderTable } from "./table.ts";

test("nothing in a cell is obeyed by a terminal or breaks its line", () => {
  const table = renderTable(["name", "what"], [["Ga\u001b[31m\nm", "a\u202eb\r\nc"]]);
  expect(table.split("\n")).toHaveLength(2);
  expect(table).toContain("Ga<U+001B>[31m<U+000A>m");
  expect(table).toContain("a<U+202E>b<U+000A>c");
});

test("no column pushes the others away, and a name or an id stays whole", () => {
  const name = "n".repeat(64);
  const [, long = "", fits = ""] = renderTable(
    ["name", "what"],
    [
      ["x".repeat(5_000), "one"],
      [name, "two"],
    ],
  ).split("\n");
  expect(long).toMatch(/^x{61}\.{3} {2}one$/);
  expect(fits).toBe(`${name}  two`);
});
