import { describe, expect, it } from "vitest";
import { parseJson } from "./read-json.ts";

const read = async (text: string) => {
  const parsed = parseJson(text, { maxDepth: 8 });
  return parsed instanceof Response ? ((await parsed.json()) as { detail: string }).detail : parsed.json;
};

describe("JSON of a request", () => {
  it.each([
    ['{"a":{"b":1},"b":[{"a":1},{"a":2}]}', { a: { b: 1 }, b: [{ a: 1 }, { a: 2 }] }],
    ['{"a":"\\"a\\":1","b":"{\\"b\\":2}"}', { a: '"a":1', b: '{"b":2}' }],
    ["[1,2]", [1, 2]],
  ])("is read: %s", async (text, value) => {
    expect(await read(text)).toEqual(value);
  });

  it.each([
    ['{"a":1,"a":2}', /names the member "a" twice/],
    ['[{"a":1,"b":{},"\\u0061" : 2}]', /names the member "\\u0061" twice/],
    ['{"a":}', /not valid JSON/],
    ["[".repeat(9) + "]".repeat(9), /deeper than 8 levels/],
    [`[${"0,".repeat(60_001)}0]`, /The body has more than 60000 members and items. Send it in smaller parts/],
    [`[${"{},".repeat(31_000)}0]`, /more than 60000 members/],
    [`[{${'"a":0,'.repeat(20_001)}"b":0}]`, /has an object of more than 20000 members. Send a list, or smaller parts/],
  ])("is refused: %.40s", async (text, detail) => {
    expect(await read(text)).toMatch(detail);
  });

  it("has as many commas in its texts as they like", async () => {
    expect(await read(JSON.stringify({ text: ",".repeat(100_000) }))).toEqual({ text: ",".repeat(100_000) });
  });

  it("is read where its objects together have more members than one may have", async () => {
    const rows = Array.from({ length: 25_000 }, (_, row) => ({ row }));
    expect(await read(JSON.stringify(rows))).toEqual(rows);
  });

  it("is read where a text in it is as long as a body may be", async () => {
    const long = `a${'\\"'.repeat(4_000_000)}${"b".repeat(3_000_000)}`;
    expect(await read(JSON.stringify({ long }))).toEqual({ long });
  });
});
