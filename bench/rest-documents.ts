import { createRestDoor, openAccess } from "@toolwright/doors/rest";
import { createEngine, defineTool, type Principal } from "@toolwright/engine";
import { Hono } from "hono";
import { z } from "zod";
import { median, medianRatio, type Row, timeRounds } from "./measure.ts";

const count = 1000;
const origin = "http://localhost:7777";
const person: Principal = { tenant: "bench", actor: { kind: "user", id: "ann" }, permissions: [], door: "rest" };
const fields = {
  path: z.string().describe("Path relative to the workspace"),
  lines: z.int().min(1).max(10_000).nullish().describe("How many"),
  mode: z.enum(["text", "binary"]).nullish(),
  where: z.object({ from: z.string(), to: z.string() }).nullish(),
};
const outputs = z.object({ text: z.string(), lines: z.int() });
const names = Array.from({ length: count }, (_, index) => `tool_${index}`);
const describe = (name: string) => `Does the work of ${name}. Use it when nothing else does.`;

function openDoor() {
  const tools = names.map((name) =>
    defineTool({
      ...{ name, description: describe(name), output: outputs, run: () => ({ text: "", lines: 0 }) },
      input: z.object(fields),
      examples: [{ label: "A file", input: { path: "a.txt" } }],
    }),
  );
  const door = createRestDoor({ engine: createEngine({ tools }), authentication: openAccess(person) });
  return async (path: string, headers: Readonly<Record<string, string>> = {}, status = 200) => {
    const response = await door.fetch(new Request(`${origin}/api${path}`, { headers: { host: "localhost:7777", ...headers } }));
    const text = await response.text();
    if (response.status !== status) throw new Error(`${path} answered ${response.status}: ${text.slice(0, 200)}`);
    return { text, response };
  };
}

/** The list of 1,000 tools, and their OpenAPI document, beside a plain Hono that sends the same text from memory. */
export async function measure(): Promise<readonly Row[]> {
  const cold: number[] = [];
  for (let round = 0; round < 5; round += 1) {
    const ask = openDoor();
    const startedAt = performance.now();
    await ask("/openapi.json");
    cold.push((performance.now() - startedAt) * 1e6);
  }
  const ask = openDoor();
  const { text: list } = await ask("/tools");
  const { text: document, response } = await ask("/openapi.json");
  const known = { "if-none-match": response.headers.get("etag") ?? "" };
  const json = { headers: { "content-type": "application/json" } };
  const plain = new Hono().get("/tools", () => new Response(list, json)).get("/openapi.json", () => new Response(document, json));
  const askPlain = async (path: string) => (await plain.request(path)).text();
  const times = await timeRounds({
    list: () => ask("/tools"),
    document: () => ask("/openapi.json"),
    unchanged: () => ask("/openapi.json", known, 304),
    plainList: () => askPlain("/tools"),
    plainDocument: () => askPlain("/openapi.json"),
  });
  const row = (name: string, [ours, peer]: readonly [readonly number[], readonly number[]], most?: number): Row => {
    const ms = median(ours) / 1e6;
    return {
      ...{ name, ours: ms, peer: median(peer) / 1e6, peerName: "text by Hono", ratio: medianRatio(ours, peer), unit: "ms p50" },
      ...{ target: most === undefined ? "none" : `under ${most} ms`, holds: most === undefined || ms < most },
    };
  };
  const megabytes = (document.length / 1e6).toFixed(1);
  return [
    row("GET /api/tools, 1,000 tools", [times.list, times.plainList], 20),
    row(`openapi.json, 1,000 tools, ${megabytes} MB`, [times.document, times.plainDocument], 100),
    row("the same, 304", [times.unchanged, times.plainDocument]),
    row("the same, for the first time", [cold, times.plainDocument.slice(0, cold.length)]),
  ];
}
