import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { embedderConformance } from "@toolwright/engine/testing";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { openOpenAIEmbedder } from "./openai-embedder.ts";

interface Asked {
  readonly url: string | undefined;
  readonly key: string | undefined;
  readonly body: { readonly model: string; readonly input: readonly string[]; readonly dimensions?: number };
}

/** Counts letters: texts with the same ones are alike. Answers in another order than it was asked, as the index permits. */
const countLetters = (input: readonly string[], size: number) =>
  input
    .map((each, index) => {
      const embedding = new Array<number>(size).fill(0.01);
      for (const letter of each.toLowerCase().match(/[a-z]/g) ?? []) embedding[letter.charCodeAt(0) % size]! += 1;
      return { object: "embedding", index, embedding };
    })
    .toReversed();

let size = 26;
let answer: ((asked: Asked) => { readonly status?: number; readonly body: string }) | undefined;
const asked: Asked[] = [];
const server = createServer(async (request: IncomingMessage, response) => {
  const given: Asked = { url: request.url, key: request.headers.authorization, body: JSON.parse(await text(request)) };
  asked.push(given);
  const { status = 200, body } = answer?.(given) ?? {
    body: JSON.stringify({ object: "list", data: countLetters(given.body.input, given.body.dimensions ?? size) }),
  };
  response.writeHead(status, { "content-type": "application/json" }).end(body);
});
let url = "";
beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
});
beforeEach(() => {
  answer = undefined;
  size = 26;
  asked.length = 0;
});
afterAll(() => new Promise((resolve) => server.close(resolve)));
const open = (more = {}) => openOpenAIEmbedder({ url, model: "letters", fetch, ...more });

describe("an embedder that asks a server", () => {
  const near = [
    ["listen", "silent"],
    ["night", "thing"],
  ] as const;
  for (const { name, run } of embedderConformance(() => open(), near)) it(name, run);

  it("sends the key of the moment, at most 96 texts at once, and the dimensions that it is told", async () => {
    let key = "first";
    const embedder = await open({ key: async () => key, dimensions: 12, url: `${url}/` });
    key = "second";
    expect((await embedder.embed(Array.from({ length: 100 }, (_, at) => `text ${at}`))).length).toBe(100);
    expect(asked.map(({ url, key, body }) => [url, key, body.model, body.input.length, body.dimensions])).toEqual([
      ["/v1/embeddings", "Bearer first", "letters", 1, 12],
      ["/v1/embeddings", "Bearer second", "letters", 96, 12],
      ["/v1/embeddings", "Bearer second", "letters", 4, 12],
    ]);
    expect([embedder.model, embedder.dimensions]).toEqual([`openai/${new URL(url).host}/letters@12`, 12]);
  });

  it("is another model when the server has other dimensions, and refuses those that come in between", async () => {
    const before = await open();
    size = 20;
    await expect(before.embed(["a"])).rejects.toThrow(/answers with 20 numbers a text, and with 26 before\. Restart Toolwright/);
    expect((await open()).model).not.toBe(before.model);
  });

  it.each<[what: string, status: number, body: string, message: RegExp]>([
    ["a wrong key", 401, "{}", /answered with 401\. Name a secret that holds its key with TOOLWRIGHT_EMBEDDINGS_KEY/],
    ["no such model", 404, "{}", /answered with 404\. Check TOOLWRIGHT_EMBEDDINGS_URL/],
    ["too many requests", 429, "{}", /answered with 429, which means that it is asked too often/],
    ["no JSON", 200, "<html>", /cannot be reached, or gave no JSON/],
    ["no vectors", 200, '{"data":[]}', /answered with no vector for each text/],
    ["odd vectors", 200, '{"data":[{"embedding":["x"]}]}', /answered with no vector for each text/],
    ["nothing but zeros", 200, '{"data":[{"embedding":[0,0]}]}', /answered with no vector for each text/],
    ["null", 200, "null", /answered with no vector for each text/],
  ])("says what to do about %s", async (_, status, body, message) => {
    answer = () => ({ status, body });
    await expect(open()).rejects.toMatchObject({ code: "model_unavailable", message: expect.stringMatching(message) });
  });

  it("says that nobody listens", async () => {
    await expect(open({ url: "http://127.0.0.1:1/v1" })).rejects.toThrow("The embeddings server 127.0.0.1:1 cannot be reached");
  });
});
