import { mkdir, readdir, writeFile } from "node:fs/promises";
import { afterEach, beforeEach, expect, test } from "vitest";
import { finish, Place } from "./run-cli.ts";
import { callByMcp, killServer, type Served, startServer } from "./served.ts";

/** Leaves one file for each time that it ran; with `hang` it never ends. */
const release = `import { defineTool } from "@toolwright/engine";
import { z } from "zod";
export default defineTool({
  name: "release",
  description: "Releases a version, which cannot be undone. For tests of approvals.",
  input: z.object({ version: z.string().describe("Version"), hang: z.boolean().nullish().describe("Never end") }),
  output: z.object({ released: z.string() }),
  effects: { files: "write", destructive: true },
  async run({ version, hang }, { files }) {
    await files.write(\`runs/\${crypto.randomUUID()}.txt\`, version);
    if (hang) await new Promise(() => {});
    return { released: version };
  },
});
`;

let place: Place;
beforeEach(async () => {
  place = await Place.make("embedded");
  await mkdir(place.path("workspace/runs"), { recursive: true });
  await mkdir(place.path("tools"));
  place.env.TOOLWRIGHT_TOOLS = place.path("tools");
  await writeFile(place.path("tools/release.tool.ts"), release);
});
afterEach(() => place.remove());

const runs = () => readdir(place.path("workspace/runs"));

const releaseBy = (server: Served, version: string) => callByMcp(server, "release", { version });

const approvalIn = (text: string) => /apr_[A-Za-z0-9_-]{22}/.exec(text)?.[0] ?? "";

test("pain 3, R-AP-4: a server killed between approve and run runs the call once after its restart, with others trying at the same time", async () => {
  const first = await startServer(place);
  const id = approvalIn(await releaseBy(first, "1.0"));
  expect(id).not.toBe("");
  expect((await place.run(["approvals", "approve", id])).code).toBe(0);
  await killServer(first);
  expect(await runs()).toEqual([]);

  const second = await startServer(place);
  const [again, ...others] = await Promise.all([
    releaseBy(second, "1.0"),
    place.run(["approvals", "run", id]),
    place.run(["approvals", "run", id]),
  ]);
  expect(await runs()).toHaveLength(1);
  const outcomes = [again, ...others.map(({ out, err }) => out + err)];
  expect(outcomes.filter((text) => /released/.test(text))).toHaveLength(1);
  await killServer(second);
});

test("two people who approve and run in two processes at once: one execution, and the other is told", async () => {
  const { out } = await place.run(["call", "release", '{"version": "1.0"}', "--json"]);
  const id = approvalIn(out);
  const both = await Promise.all([place.run(["approvals", "approve", id, "--run"]), place.run(["approvals", "approve", id, "--run"])]);
  expect(both.map(({ code }) => code).sort()).toEqual([0, 1]);
  expect(both.map(({ err }) => err).join()).toMatch(/was answered before/);
  expect(await runs()).toHaveLength(1);
});

test("R-AP-5: a run that was killed in the middle is not run again: whether it had its effect is in doubt", async () => {
  const { out } = await place.run(["call", "release", '{"version": "1.0", "hang": true}', "--json"]);
  const id = approvalIn(out);
  await place.run(["approvals", "approve", id]);
  const running = place.start(["approvals", "run", id]);
  await expect.poll(async () => (await runs()).length, { timeout: 20_000, interval: 20 }).toBe(1);
  const ended = finish(running);
  running.kill("SIGKILL");
  await ended;
  const again = await place.run(["approvals", "run", id]);
  expect(again.code).toBe(1);
  expect(again.err).toMatch(/approval_used/);
  expect(await runs()).toHaveLength(1);
});
