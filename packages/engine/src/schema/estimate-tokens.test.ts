import { createHash } from "node:crypto";
import { describe, expect, it } from "vitest";
import { estimateTokens } from "./estimate-tokens.ts";

/** Bytes that look random and are the same in each run. */
const bytes = (count: number) => {
  const blocks = Array.from({ length: Math.ceil(count / 32) }, (_, at) => createHash("sha256").update(`${at}`).digest());
  return Buffer.concat(blocks).subarray(0, count);
};
const lines = (count: number, write: (at: number) => string) => Array.from({ length: count }, (_, at) => write(at)).join("\n");
const hex = bytes(1_600).toString("hex");
const uuid = (at: number) => hex.slice(at * 32, at * 32 + 32).replace(/^(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-");
const number = (at: number, size: number) => bytes(1_600).readUInt32BE(at * 4) % size;

describe("the tokens of a text are estimated by what it is made of, in characters a token", () => {
  // Between what cl100k_base and o200k_base count of such texts, or a little below.
  it.each<[string, string, number, number]>([
    ["base64", bytes(3_000).toString("base64"), 1.3, 1.8],
    ["hexadecimal", hex, 1.3, 1.8],
    ["UUIDs", lines(50, uuid), 1.3, 1.8],
    [
      "short ids",
      lines(100, (at) =>
        bytes(1_600)
          .subarray(at * 12, at * 12 + 12)
          .toString("base64url"),
      ),
      1.3,
      1.8,
    ],
    ["a table of numbers", lines(150, (at) => `${at},${number(at, 90_000)}.25,${number(at + 1, 900_000)},Oslo`), 1.3, 2.1],
    ["a log of requests", lines(60, (at) => `2026-11-28T18:10:05.123Z INFO 10.0.${at}.7 GET /v1/things/${at} 200 17ms`), 1.5, 2.1],
    [
      "JSON of records",
      JSON.stringify(Array.from({ length: 60 }, (_, id) => ({ id: uuid(id % 50), name: "Ann Example", total: id * 3.5 }))),
      1.5,
      2.7,
    ],
    [
      "a schema",
      JSON.stringify({ type: "object", properties: { path: { type: "string", description: "Path relative to the workspace" } } }),
      2.9,
      4,
    ],
    ["code", "export function titleOf(message: string): string {\n  return message.trim();\n}\n".repeat(20), 2.9, 4.2],
    ["English", "The contracts are read again next week, and signed on the day after that. ".repeat(20), 3.5, 4.5],
    ["German", "Die Verträge werden nächste Woche geprüft und anschließend unterschrieben. ".repeat(20), 3, 4.2],
    ["Russian", "Договоры будут проверены на следующей неделе и затем подписаны. ".repeat(20), 2, 2.7],
    ["Chinese", "合同将在下周审核并签署，然后发送给客户。".repeat(20), 0.8, 1.2],
    ["signs of pictures", "😀🎉👍".repeat(60), 0.7, 1.3],
  ])("%s", (_, text, least, most) => {
    const ratio = text.length / estimateTokens(text);
    expect(ratio).toBeGreaterThanOrEqual(least);
    expect(ratio).toBeLessThanOrEqual(most);
  });

  it("prose beside a table is estimated as prose", () => {
    const prose = "The contracts are read again next week, and signed on the day after that. ".repeat(100);
    const table = bytes(3_000).toString("base64");
    const both = estimateTokens(prose + table);
    expect(Math.abs(both - estimateTokens(prose) - estimateTokens(table))).toBeLessThan(100);
    expect(estimateTokens("")).toBe(0);
  });
});
