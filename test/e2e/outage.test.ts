import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { startTestServer, type TestServer } from "@toolwright/postgres/testing";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { finish, Place, waitForText } from "./run-cli.ts";
import { callByMcp, startServer } from "./served.ts";

const freely = "version: 1\nautonomy: full\n";
/** Appends a line to a file, and returns once another file is there. */
const noteTool = (root: string) => `import { existsSync, appendFileSync } from "node:fs";
import { defineTool } from "@toolwright/engine";
import { z } from "zod";
export default defineTool({
  name: "note",
  description: "Notes a line, for tests of what a server does in an outage.",
  input: z.object({ line: z.string(), until: z.string().nullish() }),
  output: z.object({ noted: z.string() }),
  effects: { destructive: true },
  async run({ line, until }, { signal }) {
    appendFileSync(${JSON.stringify(`${root}/notes.txt`)}, line + "\\n");
    while (typeof until === "string" && !existsSync(until) && !signal.aborted) await new Promise((resolve) => setTimeout(resolve, 20));
    return { noted: line };
  },
});
`;

let server: TestServer;
let place: Place;
beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server.stop());
beforeEach(async () => {
  place = await Place.make("embedded");
  place.env.DATABASE_URL = server.url;
  await writeFile(place.path("policy.yaml"), freely);
  await mkdir(place.path("tools"));
  place.env.TOOLWRIGHT_TOOLS = place.path("tools");
  await writeFile(place.path("tools/note.tool.ts"), noteTool(place.root));
});
afterEach(() => place.remove());

const serve = () => startServer(place, ["--policy", "policy.yaml"]);

/** The text of the answer: the tool's, or of the error. */
const note = (mcp: string, line: string, until?: string) => callByMcp({ mcp }, "note", { line, ...(until !== undefined && { until }) });

const health = async (mcp: string) => {
  const response = await fetch(new URL("/health", mcp));
  return { code: response.status, ...((await response.json()) as { status: string; store: string }) };
};
const notes = async () =>
  existsSync(place.path("notes.txt")) ? (await readFile(place.path("notes.txt"), "utf8")).trimEnd().split("\n") : [];

describe("R-AU-1, R-AU-6: a database that goes away and comes back under a server", () => {
  test("calls end with a reason and run nothing, health says so; afterwards calls, jobs and streams go on without a restart", async () => {
    const { child, mcp } = await serve();
    expect(await note(mcp, "before")).toContain('"noted":"before"');
    expect(await health(mcp)).toMatchObject({ code: 200, status: "ok", store: "ok" });
    const follower = place.start(["log", "follow"]);
    await waitForText(follower, /Following the log/);
    const made = await place.run(["jobs", "run", "note", "--input", JSON.stringify({ line: "job", until: place.path("go") }), "--json"]);
    const { id } = JSON.parse(made.out) as { id: string };
    await expect.poll(notes, { timeout: 15_000 }).toContain("job");

    await server.halt();
    const startedAt = performance.now();
    expect(await note(mcp, "away")).toMatch(/did not run\. The (connection to the )?PostgreSQL server/);
    expect(performance.now() - startedAt).toBeLessThan(12_000);
    expect(await health(mcp)).toMatchObject({ code: 503, status: "unavailable", store: expect.stringContaining("PostgreSQL server") });
    await writeFile(place.path("go"), "");

    const streamed = waitForText(follower, /tool\.completed[\s\S]*tool\.completed/);
    await server.start();
    await expect.poll(() => note(mcp, "after"), { timeout: 20_000 }).toContain('"noted":"after"');
    await expect.poll(() => health(mcp), { timeout: 10_000 }).toMatchObject({ code: 200, status: "ok" });
    expect(await notes()).not.toContain("away");
    await streamed;
    await expect
      .poll(async () => JSON.parse((await place.run(["jobs", "show", id, "--json"])).out), { timeout: 20_000, interval: 500 })
      .toMatchObject({ state: "done" });
    expect((await place.run(["log", "verify", "--all"])).code).toBe(0);
    child.kill("SIGTERM");
    expect((await finish(child)).code).toBe(0);
  });

  test("R-AU-7: a server whose database hangs ends within its limit too, and says what it could not do", async () => {
    const { child, mcp } = await serve();
    expect(await note(mcp, "before")).toContain('"noted":"before"');
    const stopped = stopDatabase();
    try {
      const call = note(mcp, "hangs").catch(() => undefined);
      const ended = finish(child);
      const startedAt = performance.now();
      child.kill("SIGTERM");
      const { code, err } = await ended;
      expect({ code, err }).toMatchObject({ code: 0, err: expect.stringContaining("This process ends without it") });
      expect(performance.now() - startedAt).toBeLessThan(22_000);
      await call;
    } finally {
      stopped.go();
    }
    expect(await notes()).toEqual(["before"]);
  });
});

describe("R-AU-7: SIGTERM under load", () => {
  test("ends within its limit: what runs is finished, or ended as the log says", async () => {
    const { child, mcp } = await serve();
    const calls = Array.from({ length: 24 }, (_, index) =>
      note(mcp, `load ${index}`, index % 4 === 0 ? place.path("go") : undefined).catch(() => "cut off"),
    );
    await expect.poll(async () => (await notes()).length, { timeout: 15_000 }).toBeGreaterThan(12);
    const ended = finish(child);
    const startedAt = performance.now();
    child.kill("SIGTERM");
    expect((await ended).code).toBe(0);
    expect(performance.now() - startedAt).toBeLessThan(20_000);
    await Promise.all(calls);
    const { out } = await place.run(["runs", "list", "--json"]);
    expect(out).toContain('"load ');
    expect(out).not.toContain('"running"');
    expect((await place.run(["log", "verify", "--all"])).code).toBe(0);
  });

  test("a second signal ends it at once", async () => {
    const { child, mcp } = await serve();
    const call = note(mcp, "long", place.path("never")).catch(() => undefined);
    await expect.poll(notes, { timeout: 10_000 }).toContain("long");
    const stopping = waitForText(child, /Stopping/);
    const ended = finish(child);
    child.kill("SIGTERM");
    await stopping;
    const startedAt = performance.now();
    child.kill("SIGINT");
    expect((await ended).code).toBe(130);
    expect(performance.now() - startedAt).toBeLessThan(1_500);
    await call;
  });
});

/** The server and all its backends, as a machine that hangs. */
function stopDatabase(): { go(): void } {
  const children = execFileSync("ps", ["-o", "pid=", "--ppid", String(server.pid)], { encoding: "utf8" });
  const pids = [server.pid, ...children.trim().split(/\s+/).map(Number)].filter((pid) => pid > 1);
  for (const pid of pids) process.kill(pid, "SIGSTOP");
  return {
    go() {
      for (const pid of pids) process.kill(pid, "SIGCONT");
    },
  };
}
