import { describe, expect, test } from "vitest";
import { readChunks } from "../../http/read-body.ts";
import { boundaryOf, MultipartMeter, mostHeaderBytes, mostParts } from "./measure-multipart.ts";

const boundary = "----WebKitFormBoundaryABCDEFGHIJKLMNOP";
const part = (headers: string, content = "") => `--${boundary}\r\n${headers}\r\n\r\n${content}\r\n`;
const bodyOf = (...parts: readonly string[]) => Buffer.from(`${parts.join("")}--${boundary}--\r\n`);
const named = 'Content-Disposition: form-data; name="a"';

/** What a meter counts of a body that comes in pieces of so many bytes. */
function measure(body: Buffer, pieces = body.length) {
  const meter = new MultipartMeter(boundary);
  let taken = 0;
  for (let at = 0; at < body.length; at += pieces) if (meter.add(body.subarray(at, at + pieces))) taken += 1;
  return { parts: meter.parts, headerBytes: meter.headerBytes, taken };
}

describe("the size of a multipart body", () => {
  test("counts parts and the bytes of their headers, not their contents", () => {
    const measured = measure(bodyOf(part(named, "x".repeat(10_000)), part(named)));
    expect(measured).toMatchObject({ parts: 2, headerBytes: 2 * (named.length + 2) });
  });

  test.each([
    ["in quotes", `multipart/form-data; boundary="${boundary}"`],
    ["in capital letters", `multipart/form-data; BOUNDARY=${boundary}`],
    ["behind another parameter", `multipart/form-data; charset=utf-8; boundary=${boundary} ; x=y`],
  ])("reads a boundary %s", (_name, header) => {
    expect(boundaryOf(header)).toBe(boundary);
  });

  test.each(["multipart/form-data", "multipart/form-data; boundary=", 'multipart/form-data; boundary="a'])("finds none in %s", (header) => {
    expect(boundaryOf(header)).toBeUndefined();
  });

  test("counts no further than one part too many", () => {
    const parts = Array.from({ length: 2 * mostParts }, () => part(named));
    expect(measure(bodyOf(...parts)).parts).toBe(mostParts + 1);
  });

  test.each([1, 2, 3, 7, 39, 40, 41, 1_000])("counts alike when the body comes in pieces of %i bytes", (pieces) => {
    const body = bodyOf(...Array.from({ length: 20 }, (_, at) => part(`${named}\r\nX: ${at}`, `--${boundary.slice(at + 3)}\r\n\r\n--\r`)));
    expect(measure(body, pieces)).toMatchObject({ ...measure(body), taken: Math.ceil(body.length / pieces) });
    expect(measure(body).parts).toBe(20);
  });

  test("takes no piece after the limit, however long the body is", () => {
    const taken = [1, 2, 4, 8].map(
      (size) => measure(bodyOf(...Array.from({ length: 2 * size * mostParts }, () => part(named))), 1_000).taken,
    );
    expect(new Set(taken).size).toBe(1);
  });

  test("lets a body go from the piece on that is over the limit", async () => {
    const asked = [1, 2, 4, 8].map(async (size) => {
      const meter = new MultipartMeter(boundary);
      const pieces = Array.from({ length: 200 * size }, () => Buffer.from(part(named).repeat(10)));
      const request = new Request("http://127.0.0.1/", { method: "POST", body: ReadableStream.from(pieces), duplex: "half" });
      let times = 0;
      const bytes = await readChunks(request, 1e9, (piece) => {
        times += 1;
        return meter.add(piece);
      });
      return { bytes, times };
    });
    expect(await Promise.all(asked)).toEqual(Array(4).fill({ bytes: undefined, times: mostParts / 10 + 1 }));
  });

  test.each([
    ["one long header", part(`${named}\r\nX-Long: ${"x".repeat(3 * mostHeaderBytes)}`)],
    ["very many headers", part(`${named}\r\n${"X: y\r\n".repeat(mostHeaderBytes)}Z: z`)],
    ["headers that never end", `--${boundary}\r\n${"x".repeat(3 * mostHeaderBytes)}`],
  ])("looks no further than the limit into %s", (_name, text) => {
    const { headerBytes } = measure(bodyOf(text));
    expect(headerBytes).toBeGreaterThan(mostHeaderBytes);
    expect(headerBytes).toBeLessThan(mostHeaderBytes + 100);
  });
});
