import { gunzipSync } from "node:zlib";
import { WrittenResponse } from "@toolwright/doors/http";
import { describe, expect, it } from "vitest";
import { compressAnswer, isCompressible } from "./compress-answer.ts";

const long = { items: Array.from({ length: 500 }, (_, index) => `tool_${index}`) };

describe("an answer may be compressed", () => {
  it.each([
    { name: "for a page of this server", site: "same-origin", encodings: "gzip, deflate, br", may: true },
    { name: "never for a page of another site", site: "cross-site", encodings: "gzip", may: false },
    { name: "never for a program", site: undefined, encodings: "gzip", may: false },
    { name: "never for who refuses it", site: "same-origin", encodings: "br, gzip;q=0", may: false },
    { name: "never for who does not take it", site: "same-origin", encodings: "identity", may: false },
  ])("$name", ({ site, encodings, may }) => {
    const headers = { "accept-encoding": encodings, ...(site !== undefined && { "sec-fetch-site": site }) };
    expect(isCompressible(new Request("http://127.0.0.1/api/tools", { headers }))).toBe(may);
  });
});

describe("a compressed answer", () => {
  it.each([
    { name: "of the platform", response: Response.json(long, { status: 201, headers: { "x-kept": "1" } }) },
    { name: "that was written whole", response: WrittenResponse.json(long, { status: 201, headers: { "x-kept": "1" } }) },
  ])("$name says the same", async ({ response }) => {
    const compressed = await compressAnswer(response);
    expect([compressed.status, compressed.headers.get("content-encoding"), compressed.headers.get("x-kept")]).toEqual([201, "gzip", "1"]);
    const bytes = Buffer.from(await compressed.arrayBuffer());
    expect(bytes.length).toBeLessThan(JSON.stringify(long).length / 2);
    expect(JSON.parse(gunzipSync(bytes).toString())).toEqual(long);
  });

  it.each([
    { name: "short", response: () => Response.json({ items: [] }), body: '{"items":[]}' },
    {
      name: "a file",
      response: () => Response.json(long, { headers: { "content-disposition": "attachment" } }),
      body: JSON.stringify(long),
    },
    { name: "one with a version", response: () => Response.json(long, { headers: { etag: '"1"' } }), body: JSON.stringify(long) },
    { name: "no JSON", response: () => new Response("x".repeat(9_000)), body: "x".repeat(9_000) },
  ])("is none where it is $name", async ({ response, body }) => {
    const same = await compressAnswer(response());
    expect([same.headers.has("content-encoding"), await same.text()]).toEqual([false, body]);
  });
});
