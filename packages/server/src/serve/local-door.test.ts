import { expect, test } from "vitest";
import { cutHeader } from "./local-door.ts";

const read = (header: string) => JSON.parse(decodeURIComponent(header)) as readonly string[];

test.each([
  { name: "few", sentences: ["a.tool.ts: no default export."], shown: 1, isCut: false },
  { name: "many", sentences: new Array(500).fill("a.tool.ts: no default export."), shown: 1, isCut: true },
  { name: "one that is too long", sentences: ["x".repeat(20_000)], shown: 0, isCut: true },
])("of $name sentences, a header has those that fit, and says when there are more", ({ sentences, shown, isCut }) => {
  const header = cutHeader(sentences);
  expect(header.length).toBeLessThanOrEqual(8_000);
  const told = read(header);
  expect(told.slice(0, shown)).toEqual(sentences.slice(0, shown));
  expect(told.some((sentence) => sentence.includes("the server's own output"))).toBe(isCut);
});
