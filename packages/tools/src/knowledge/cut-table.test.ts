import { describe, expect, it } from "vitest";
import { cutChunks } from "./cut-chunks.ts";
import { mostOfChunk } from "./cut-text.ts";

const cut = (text: string) => [...cutChunks([{ headings: [], lines: [1, text.split("\n").length], text, isTable: true }])];
const rows = (count: number, row: (at: number) => string) => Array.from({ length: count }, (_, at) => row(at));

describe("a CSV table is cut into passages", () => {
  it("each with the heading row, and every record whole in one", () => {
    const records = rows(400, (at) => `train ${at},Ulm,${at * 7}`);
    const found = cut(["name,town,minutes", ...records].join("\n"));
    expect(found.length).toBeGreaterThan(3);
    for (const { text } of found) expect(text.startsWith("name,town,minutes\ntrain ")).toBe(true);
    for (const { text } of found) expect(text.length).toBeLessThanOrEqual(mostOfChunk);
    expect(found.flatMap(({ text }) => text.split("\n").slice(1))).toEqual(records);
    expect(found[0]?.lines?.[0]).toBe(1);
    expect(found[1]?.lines?.[0]).toBe((found[0]?.lines?.[1] ?? 0) + 1);
  });

  it.each([
    ["values that hold ends of lines", (at: number) => `"note ${at}\nin two\nlines",${at}`],
    ["other marks between values", (at: number) => `train ${at};"a ""b""";${at}`],
    ["a quote that is no mark", (at: number) => `${at},a 5" pipe,steel`],
    ["a quote that never ends", (at: number) => `${at},"open,steel`],
    ["empty lines", (at: number) => `${at},x and more\n`],
  ])("with %s", (_, record) => {
    const given = rows(120, record);
    const found = cut(["one,two", ...given].join("\n"));
    expect(found.length).toBeGreaterThan(1);
    for (const { text } of found) expect(text.startsWith("one,two\n")).toBe(true);
    const all = found.map(({ text }) => text.slice("one,two\n".length)).join("\n");
    expect(all).toBe(given.map((each) => each.trimEnd()).join("\n"));
  });

  it("with the heading before each value where the heading row is too long to be repeated", () => {
    const names = rows(60, (at) => `heading number ${at}`);
    const found = cut(
      [names.join(";"), ...rows(30, (row) => names.map((_, at) => (at % 7 === 0 ? "" : `"${row};${at}"`)).join(";"))].join("\n"),
    );
    const header = found.splice(0, 1);
    expect(header.map(({ text }) => text).join("")).toContain("heading number 1;");
    for (const { text } of found) for (const line of text.split("\n")) expect(line).toMatch(/^heading number (\d+): \d+;\1$/);
    for (const { text } of found) expect(text.length).toBeLessThanOrEqual(mostOfChunk);
    expect(found.flatMap(({ text }) => text.split("\n"))).toHaveLength(30 * names.filter((_, at) => at % 7 !== 0).length);
  });

  it("with a record that is longer than a passage in several, each below the heading row", () => {
    const long = `${"word ".repeat(900)}end`;
    const found = cut(`name,text\nx,${long}`);
    expect(found.length).toBeGreaterThan(3);
    for (const { text } of found) expect(text.startsWith("name,text\n")).toBe(true);
    expect(found.map(({ text }) => text.slice("name,text\n".length)).join(" ")).toBe(`x,${long}`);
  });

  it("with the heading row alone where there is no record, and with a line for programs", () => {
    expect(cut("name,town").map(({ text }) => text)).toEqual(["name,town"]);
    expect(cut("sep=;\nname;town\nx;Ulm").map(({ text }) => text)).toEqual(["sep=;\nname;town\nx;Ulm"]);
  });
});
