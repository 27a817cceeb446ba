import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { afterEach, beforeEach, expect, test } from "vitest";
import { releaseTool } from "./release-tool.ts";
import { Place } from "./run-cli.ts";
import { callByMcp, killServer, type Served, startServer } from "./served.ts";

let place: Place;
beforeEach(async () => {
  place = await Place.make("server");
  await mkdir(place.path("workspace/runs"), { recursive: true });
  await mkdir(place.path("tools"));
  place.env.TOOLWRIGHT_TOOLS = place.path("tools");
  await writeFile(place.path("tools/release.tool.ts"), releaseTool);
});
afterEach(() => place.remove());

async function post({ listens }: Served, path: string, body: object): Promise<string> {
  const headers = { "content-type": "application/json" };
  return (await fetch(`${listens}/api${path}`, { method: "POST", headers, body: JSON.stringify(body) })).text();
}

/** How each door makes a call, or makes it again. */
const call: Readonly<Record<string, (server: Served, version: string) => Promise<string>>> = {
  mcp: (server, version) => callByMcp(server, "release", { version }),
  rest: (server, version) => post(server, "/tools/release/call", { version }),
  cli: async (_, version) => (await place.run(["call", "release", JSON.stringify({ version }), "--json"])).out,
};

/** How each door answers for a person. */
const answer: Readonly<Record<string, (server: Served, id: string) => Promise<unknown>>> = {
  rest: (server, id) => post(server, `/approvals/${id}/answer`, { outcome: { kind: "approve" } }),
  cli: (_, id) => place.run(["approvals", "approve", id]),
};

/** How a call goes on whose door is not called again. */
const goOn: Readonly<Record<string, (server: Served, version: string, id: string) => Promise<string>>> = {
  mcp: (server, version) => callByMcp(server, "release", { version }),
  rest: (server, _, id) => post(server, `/approvals/${id}/run`, {}),
  cli: async (_, __, id) => (await place.run(["approvals", "run", id, "--json"])).out,
};

test("what is asked through each door is answered through each other, with a restart between, and runs once", async () => {
  const pairs = Object.keys(call).flatMap((asks) =>
    Object.keys(answer).map((answers) => ({ asks, answers, version: `${asks}-${answers}` })),
  );
  const first = await startServer(place);
  const ids = new Map<string, string>();
  for (const { asks, version } of pairs) {
    const said = (await call[asks]?.(first, version)) ?? "";
    ids.set(version, /apr_[A-Za-z0-9_-]{22}/.exec(said)?.[0] ?? said);
  }
  await killServer(first);
  const second = await startServer(place);
  for (const { answers, version } of pairs) await answer[answers]?.(second, ids.get(version) ?? "");
  for (const { asks, version } of pairs) expect(await goOn[asks]?.(second, version, ids.get(version) ?? "")).toContain(version);
  const files = await readdir(place.path("workspace/runs"));
  const ran = await Promise.all(files.map((file) => readFile(place.path("workspace/runs", file), "utf8")));
  expect(ran.sort()).toEqual(pairs.map(({ version }) => version).sort());
  await killServer(second);
});
