import { deflateSync } from "node:zlib";
import { ToolwrightError } from "@toolwright/engine";
import type { ParseRequest } from "@toolwright/engine/ports";
import { describe, expect, test } from "vitest";
import { makePdf } from "../../../test/make-pdf.ts";
import { documentParser } from "./document-parser.ts";

type Given = Partial<Omit<ParseRequest, "bytes">>;
const bytesOf = (text: string) => new TextEncoder().encode(text);
const parse = (bytes: Uint8Array, given: Given = {}) =>
  documentParser.parse({
    name: "file",
    sharer: { tenant: "acme", person: "user ann" },
    signal: new AbortController().signal,
    ...given,
    bytes,
  });

async function reasonOf(bytes: Uint8Array, given: Given = {}): Promise<unknown> {
  const error = await parse(bytes, given).catch((caught: unknown) => caught);
  if (!ToolwrightError.is(error)) throw new Error(`it was read: ${error}`);
  expect(error.code).toBe("document_unreadable");
  return (error.details as { reason?: unknown }).reason;
}

describe("a document is read in a thread of its own", () => {
  test("a PDF of 300 pages is read within seconds, each page with its number", async () => {
    const pageOf = (number: number) => ({
      lines: [`Chapter ${number}`, "", `The code of page ${number} is C${number * 7}.`, "It goes on here."],
    });
    const hundreds = makePdf(Array.from({ length: 300 }, (_, index) => pageOf(index + 1)));
    const begun = performance.now();
    const { kind, pages, parts, pagesWithoutText, rest } = await parse(hundreds);
    expect(performance.now() - begun).toBeLessThan(15_000);
    expect({ kind, pages, pagesWithoutText, rest }).toEqual({ kind: "pdf", pages: 300, pagesWithoutText: [], rest: [] });
    expect(parts.map(({ page }) => page)).toEqual(Array.from({ length: 300 }, (_, index) => index + 1));
    expect(parts[136]?.text).toBe("Chapter 137\n\nThe code of page 137 is C959.\nIt goes on here.");
  });

  test("what cannot be read is an error with its reason", async () => {
    expect(await reasonOf(makePdf([{}], { encrypted: true }))).toBe("encrypted");
  });
});

describe("hostile documents cost no more than the limits", () => {
  const spaces = new Uint8Array(64_000_000).fill(32);
  const inflating = makePdf([{ content: deflateSync(deflateSync(spaces)), filters: ["FlateDecode", "FlateDecode"] }]);
  const deep = bytesOf(`<!doctype html>${"<b><i><p>".repeat(60_000)}`);

  test("a stream that inflates without end runs into the limit of memory", async () => {
    expect(await reasonOf(inflating, { limits: { memoryMb: 60 } })).toBe("too_much_memory");
  });

  test("HTML that takes minutes runs into the limit of time, and the event loop turns meanwhile", async () => {
    let turns = 0;
    const counter = setInterval(() => (turns += 1), 1);
    expect(await reasonOf(deep, { limits: { ms: 400 } })).toBe("too_slow");
    clearInterval(counter);
    expect(turns).toBeGreaterThan(10);
  });

  test("a call that ends takes its thread along, whether it reads or waits for its turn", async () => {
    const ending = new AbortController();
    const all = [1, 2, 3].map(() => parse(deep, { signal: ending.signal }));
    ending.abort(new Error("the call ended"));
    for (const { status } of await Promise.allSettled(all)) expect(status).toBe("rejected");
    // Its turn is free again.
    expect(await Promise.all([1, 2, 3].map(() => parse(bytesOf("hello"))))).toHaveLength(3);
  });
});
