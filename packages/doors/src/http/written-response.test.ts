import { expect, test } from "vitest";
import { WrittenResponse } from "./written-response.ts";

const make = () => WrittenResponse.json({ word: "über" }, { status: 418, headers: { "x-more": "1" } });
const text = '{"word":"über"}';

test.each([
  ["text", async () => make().text()],
  ["json", async () => JSON.stringify(await make().json())],
  ["bytes", async () => new TextDecoder().decode(await make().bytes())],
  ["arrayBuffer", async () => new TextDecoder().decode(await make().arrayBuffer())],
  ["blob", async () => (await make().blob()).text()],
  ["a clone, and the one it was made of", async () => (await Promise.all(cloned().map((each) => each.text()))).join("").slice(text.length)],
  ["a response made of its body", async () => new Response(make().body, make()).text()],
  ["its body, chunk by chunk", async () => readChunks(make().body)],
])("is read like any response: %s", async (_, read) => {
  expect(await read()).toBe(text);
});

async function readChunks(body: ReadableStream<Uint8Array> | null): Promise<string> {
  let read = "";
  for await (const chunk of body ?? []) read += new TextDecoder().decode(chunk);
  return read;
}

function cloned(): readonly [Response, Response] {
  const response = make();
  return [response.clone(), response];
}

test("has the status, the headers and the type that it was given", () => {
  const { status, ok, headers } = make();
  expect([status, ok, ...headers]).toEqual([418, false, ["content-type", "application/json"], ["x-more", "1"]]);
  const problem = WrittenResponse.json({}, { headers: { "content-type": "application/problem+json" } });
  expect([problem.status, problem.headers.get("content-type")]).toEqual([200, "application/problem+json"]);
});

test("its head is what it was given, and what became of that", () => {
  const response = make();
  const given = { "content-type": "application/json", "x-more": "1" };
  expect(response.head).toEqual({ status: 418, headers: given });
  response.headers.append("x-more", "2");
  expect(Object.fromEntries(response.head.headers as Headers)).toEqual({ ...given, "x-more": "1, 2" });
  expect(response).toBeInstanceOf(Response);
});

test("can be read once", async () => {
  const response = make();
  expect(response.bodyUsed).toBe(false);
  await response.text();
  expect(response.bodyUsed).toBe(true);
  await expect(response.text()).rejects.toThrow(TypeError);
});
