import { createHash, randomBytes } from "node:crypto";
import { request } from "node:http";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type ServedHere, serveHere } from "../../../packages/cli/test/serve-here.ts";
import { makePdf } from "../../../packages/tools/test/make-pdf.ts";

const token = "a-token-of-some-length";
const partBytes = 250_000;

interface Document {
  readonly id: string;
  readonly title: string;
  readonly state: string;
  readonly version: number;
  readonly error?: string;
  readonly chunks: number;
  readonly nextVersion?: number;
}

describe("an upload over REST", () => {
  let server: ServedHere;
  beforeAll(async () => {
    server = await serveHere([], { TOOLWRIGHT_TOKEN: token });
  });
  afterAll(() => server.stop());

  const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
  const send = async <Body = Document>(method: string, path: string, body?: object) => {
    const response = await fetch(`${server.url}/api${path}`, { method, headers, ...(body && { body: JSON.stringify(body) }) });
    return { status: response.status, body: (await response.json()) as Body };
  };
  const begin = async (title: string, hash: string) => {
    const source = { kind: "file", place: title };
    const { status, body } = await send<{ readonly upload: string; readonly unchanged?: Document }>("POST", "/documents", {
      ...{ title, source, hash, collection: "default", mediaType: "application/octet-stream" },
    });
    expect(status).toBe(201);
    return body;
  };
  const content = (bytes: Uint8Array) => ({ content: Buffer.from(bytes).toString("base64") });
  const append = (upload: string, part: number, bytes: Uint8Array) =>
    send("PUT", `/document-uploads/${upload}/parts/${part}`, content(bytes));
  const finish = (upload: string) => send("POST", `/document-uploads/${upload}/finish`, {});
  const hashOf = (bytes: Uint8Array) => createHash("sha256").update(bytes).digest("hex");
  const partsOf = (bytes: Uint8Array) =>
    Array.from({ length: Math.ceil(bytes.length / partBytes) }, (_, part) => bytes.subarray(part * partBytes, (part + 1) * partBytes));
  const ended = async (id: string): Promise<Document> => {
    const show = async () => (await send("GET", `/documents/${id}`)).body;
    await expect.poll(async () => (await show()).nextVersion, { timeout: 20_000 }).toBeUndefined();
    return show();
  };
  const found = async (query: string) => {
    const { body } = await send<{ readonly items: readonly { readonly citation: string }[] }>("GET", `/documents/search?query=${query}`);
    return body.items.map(({ citation }) => citation);
  };
  /** A PDF of more than two parts, with words on its last page. */
  const large = makePdf([
    { lines: ["Cover"] },
    { picture: { width: 750, height: 750, bits: 8, data: randomBytes(562_500) } },
    { lines: ["The zeppelin lands at noon."] },
  ]);

  it("takes parts in any order, goes on after a connection that broke, and is read as a whole", async () => {
    const { upload } = await begin("large.pdf", hashOf(large));
    const [first = large, second = large, third = large] = partsOf(large);
    expect(await append(upload, 2, third)).toEqual({ status: 200, body: { bytes: third.length } });
    await new Promise<void>((resolve) => {
      const broken = request(`${server.url}/api/document-uploads/${upload}/parts/0`, { method: "PUT", headers });
      broken.on("error", () => resolve());
      broken.write(JSON.stringify(content(first)).slice(0, 125_000), () => broken.destroy(new Error("the line went dead")));
    });
    expect((await append(upload, 1, randomBytes(partBytes))).status).toBe(200);
    expect((await append(upload, 1, second)).status).toBe(200);
    expect((await append(upload, 0, first)).status).toBe(200);
    const { body } = await finish(upload);
    expect(await ended(body.id)).toMatchObject({
      state: "ready",
      version: 1,
      pages: 3,
      error: expect.stringContaining("Page 2 cannot be read"),
    });
    expect(await found("zeppelin")).toEqual(["large.pdf, page 3"]);
    expect((await begin("large.pdf", hashOf(large))).unchanged?.id).toBe(body.id);
    expect(await finish(upload)).toMatchObject({ status: 404, body: { code: "document_not_found" } });
  });

  it("fails where its bytes are others than were announced, parts are missing or there are none, and is in no search", async () => {
    const announced = hashOf(Buffer.from("what was announced"));
    const other = await begin("other.txt", announced);
    await append(other.upload, 0, Buffer.from("kangaroo"));
    const gap = await begin("gap.txt", hashOf(Buffer.from("onethree")));
    await append(gap.upload, 0, Buffer.from("one"));
    await append(gap.upload, 2, Buffer.from("kangaroo"));
    const none = await begin("none.txt", hashOf(Buffer.from("")));
    for (const [{ upload }, why] of [
      [other, "their SHA-256 differs"],
      [gap, "their SHA-256 differs"],
      [none, "The file is empty"],
    ] as const) {
      const { body } = await finish(upload);
      expect(await ended(body.id)).toMatchObject({ state: "failed", version: 0, error: expect.stringContaining(why) });
    }
    expect(await found("kangaroo")).toEqual([]);
  });

  it("refuses a part that is too large, one too many and one of an upload that is not there, and stays", async () => {
    const { upload } = await begin("small.txt", hashOf(Buffer.from("platypus")));
    expect(await append(upload, 0, randomBytes(partBytes + 3))).toMatchObject({ status: 422, body: { code: "invalid_input" } });
    expect((await append(upload, 0, randomBytes(32 * partBytes))).status).toBe(413);
    expect(await append(upload, 200, Buffer.from("x"))).toMatchObject({ status: 422, body: { code: "invalid_input" } });
    expect(await append("upl_none", 0, Buffer.from("x"))).toMatchObject({ status: 404, body: { code: "document_not_found" } });
    await append(upload, 0, Buffer.from("platypus"));
    const { body } = await finish(upload);
    expect(await ended(body.id)).toMatchObject({ state: "ready", chunks: 1 });
  });

  it("keeps the name of its file as its title, whatever its text is called", async () => {
    const text = Buffer.from("# Chapter 1\n\nOf ostriches.");
    const { upload } = await begin("chapter.md", hashOf(text));
    await append(upload, 0, text);
    const { body } = await finish(upload);
    expect(await ended(body.id)).toMatchObject({ state: "ready", title: "chapter.md" });
  });

  it("of one place by two at once leaves one document, whole, of the one that ended last", async () => {
    const texts = ["alpha alpaca", "beta beaver"].map((text) => Buffer.from(text));
    const uploads = await Promise.all(texts.map((bytes) => begin("shared.txt", hashOf(bytes))));
    await Promise.all(uploads.map(({ upload }, at) => append(upload, 0, texts[at] ?? Buffer.alloc(0))));
    const answers = await Promise.all(uploads.map(({ upload }) => finish(upload)));
    const [id, ...others] = new Set(answers.map(({ body }) => body.id));
    expect(others).toEqual([]);
    const { state, chunks } = await ended(id ?? "");
    expect([state, chunks]).toEqual(["ready", 1]);
    expect((await found("alpaca")).length + (await found("beaver")).length).toBe(1);
  });
});
