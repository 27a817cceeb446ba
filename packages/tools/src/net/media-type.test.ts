import { describe, expect, test } from "vitest";
import { decodeBody, kindOf, parseMediaType } from "./media-type.ts";

const bytes = (text: string) => Buffer.from(text, "latin1");

describe("the kind of a body", () => {
  test.each([
    ["text/html; charset=utf-8", "", "html"],
    ["application/xhtml+xml", "", "html"],
    ["application/problem+json", "", "json"],
    ["TEXT/Markdown", "", "text"],
    ["image/svg+xml", "", "text"],
    ["application/pdf", "", "binary"],
    ["application/octet-stream", "plain", "binary"],
    [undefined, "  <!DOCTYPE html><p>", "html"],
    [undefined, "%PDF-1.7", "binary"],
    [undefined, "a\0b", "binary"],
    [undefined, "plain", "text"],
  ] as const)("%s with %j is %s", (header, start, kind) => {
    expect(kindOf(parseMediaType(header), bytes(start))).toBe(kind);
  });
});

describe("text is decoded", () => {
  test.each([
    ["by the header", 'text/plain; charset="iso-8859-1"', "caf\u00e9", "caf\u00e9"],
    [
      "by the page's own word",
      "text/html",
      '<meta charset="windows-1252">\u0093caf\u00e9\u0094',
      '<meta charset="windows-1252">\u201ccaf\u00e9\u201d',
    ],
    ["as UTF-8 without a word", "text/plain", "caf\u00c3\u00a9", "caf\u00e9"],
    ["as UTF-8 when the charset is unknown", "text/plain; charset=klingon", "caf\u00c3\u00a9", "caf\u00e9"],
  ])("%s", async (_name, header, raw, text) => {
    expect((await decodeBody(bytes(raw), parseMediaType(header))).text).toBe(text);
  });
});
