import { describe, expect, test } from "vitest";
import { measureMultipart, mostHeaderBytes, mostParts } from "./measure-multipart.ts";

const boundary = "----WebKitFormBoundaryABCDEFGHIJKLMNOP";
const type = `multipart/form-data; boundary=${boundary}`;
const part = (headers: string, content = "") => `--${boundary}\r\n${headers}\r\n\r\n${content}\r\n`;
const bodyOf = (...parts: readonly string[]) => Buffer.from(`${parts.join("")}--${boundary}--\r\n`);
const named = 'Content-Disposition: form-data; name="a"';

describe("the size of a multipart body", () => {
  test("counts parts and the bytes of their headers, not their contents", () => {
    const measured = measureMultipart(bodyOf(part(named, "x".repeat(10_000)), part(named)), type);
    expect(measured).toEqual({ boundary, parts: 2, headerBytes: 2 * (named.length + 2) });
  });

  test.each([
    ["in quotes", `multipart/form-data; boundary="${boundary}"`],
    ["in capital letters", `multipart/form-data; BOUNDARY=${boundary}`],
    ["behind another parameter", `multipart/form-data; charset=utf-8; boundary=${boundary} ; x=y`],
  ])("reads a boundary %s", (_name, header) => {
    expect(measureMultipart(bodyOf(part(named)), header)).toMatchObject({ boundary, parts: 1 });
  });

  test.each(["multipart/form-data", "multipart/form-data; boundary=", 'multipart/form-data; boundary="a'])("finds none in %s", (header) => {
    expect(measureMultipart(bodyOf(part(named)), header)).toBeUndefined();
  });

  test("counts no further than one part too many", () => {
    const parts = Array.from({ length: 2 * mostParts }, () => part(named));
    expect(measureMultipart(bodyOf(...parts), type)?.parts).toBe(mostParts + 1);
  });

  test.each([
    ["one long header", part(`${named}\r\nX-Long: ${"x".repeat(3 * mostHeaderBytes)}`)],
    ["very many headers", part(`${named}\r\n${"X: y\r\n".repeat(mostHeaderBytes)}Z: z`)],
    ["headers that never end", `--${boundary}\r\n${"x".repeat(3 * mostHeaderBytes)}`],
  ])("looks no further than the limit into %s", (_name, text) => {
    const { headerBytes } = measureMultipart(bodyOf(text), type)!;
    expect(headerBytes).toBeGreaterThan(mostHeaderBytes);
    expect(headerBytes).toBeLessThan(mostHeaderBytes + 100);
  });
});
