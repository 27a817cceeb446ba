import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { createServerDatabase } from "@toolwright/postgres/testing";
import { afterEach, beforeEach, expect, test } from "vitest";
import { releaseTool } from "./release-tool.ts";
import { finish, Place, waitForText } from "./run-cli.ts";
import { callByMcp, type Served, startServer } from "./served.ts";

const tools = {
  release: releaseTool,
  patient: `import { defineTool } from "@toolwright/engine";
import { z } from "zod";
export default defineTool({
  name: "patient",
  description: "Waits for ever the first time that it runs, and ends at once the second time. For tests of jobs.",
  input: z.object({}),
  output: z.object({ process: z.string() }),
  effects: { files: "write", idempotent: true },
  async run(_, { files, signal }) {
    const { entries } = await files.list("turns");
    await files.write(\`turns/\${entries.length}.txt\`, String(process.pid));
    if (entries.length === 0) await new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason)));
    return { process: String(process.pid) };
  },
});
`,
};

let place: Place;
beforeEach(async () => {
  place = await Place.make("server");
  for (const folder of ["workspace/runs", "workspace/turns", "tools"]) await mkdir(place.path(folder), { recursive: true });
  place.env.TOOLWRIGHT_TOOLS = place.path("tools");
  for (const [name, text] of Object.entries(tools)) await writeFile(place.path(`tools/${name}.tool.ts`), text);
});
afterEach(() => place.remove());

const releaseBy = (server: Served) => callByMcp(server, "release", { version: "1.0" });

test("two servers on one database: what one asks for is answered and run in the other, and whoever follows the log sees both", async () => {
  const [one, other] = await Promise.all([startServer(place), startServer(place)]);
  const follower = place.start(["log", "follow", "--json"]);
  const seen: string[] = [];
  follower.stdout.on("data", (chunk: Buffer) => seen.push(String(chunk)));
  await waitForText(follower, /Following the log/);
  const asked = await releaseBy(one);
  const id = /apr_[A-Za-z0-9_-]{22}/.exec(asked)?.[0] ?? "";
  await expect.poll(() => seen.join(""), { timeout: 20_000, interval: 50 }).toContain('"tool.needs_approval"');
  expect((await place.run(["approvals", "approve", id])).err).toMatch(/Approved/);
  const answers = await Promise.all([releaseBy(other), releaseBy(one)]);
  expect(await readdir(place.path("workspace/runs"))).toHaveLength(1);
  expect(answers.filter((text) => text.includes('"released":"1.0"'))).toHaveLength(1);
  await expect.poll(() => seen.join(""), { timeout: 20_000, interval: 50 }).toContain('"tool.completed"');
});

test("two servers on one database: a job whose server is stopped in its middle goes on in the other within 30 s (R-AU-7)", async () => {
  const servers = await Promise.all([startServer(place), startServer(place)]);
  const job = (await place.run(["jobs", "run", "patient", "--input", "{}"])).out.trim();
  const turn = (number: number) => readFile(place.path(`workspace/turns/${number}.txt`), "utf8").catch(() => "");
  await expect.poll(() => turn(0), { timeout: 30_000, interval: 50 }).not.toBe("");
  const first = await turn(0);
  const busy = servers.find(({ child }) => String(child.pid) === first) as Served;
  const stopped = finish(busy.child);
  busy.child.kill("SIGTERM");
  await expect.poll(() => turn(1), { timeout: 30_000, interval: 50 }).not.toBe("");
  expect(await turn(1)).not.toBe(first);
  expect((await stopped).code).toBe(0);
  const state = async () => (JSON.parse((await place.run(["jobs", "show", job, "--json"])).out) as { state: string }).state;
  await expect.poll(state, { timeout: 20_000, interval: 200 }).toBe("done");
}, 120_000);

test("three processes that bring one empty database to this version at once: one does it, and the others find it done", async () => {
  const { url, drop } = await createServerDatabase("template1");
  try {
    const migrating = Array.from({ length: 3 }, () => place.run(["db", "migrate", "--json"], { env: { DATABASE_URL: url } }));
    const all = (await Promise.all(migrating)).map(({ code, out, err }) => ({ code, err, ...(JSON.parse(out) as { applied: string[] }) }));
    expect(all).toMatchObject([0, 1, 2].map(() => ({ code: 0, err: "" })));
    const [some, ...none] = all.map(({ applied }) => applied.length).sort((a, b) => b - a);
    expect(some).toBeGreaterThan(9);
    expect(none).toEqual([0, 0]);
  } finally {
    await drop();
  }
});
