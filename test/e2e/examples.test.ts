import { execFile } from "node:child_process";
import { globSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { createTestFolder } from "@toolwright/postgres/testing";
import { afterAll, beforeAll, expect, test } from "vitest";
import { root } from "../architecture/source-files.ts";
import { installOnDemand } from "../install-on-demand.ts";

const run = promisify(execFile);
const stories = globSync("examples/*/main.ts", { cwd: root }).sort();

test("there are stories", () => {
  expect(stories.length).toBeGreaterThan(4);
});

const restart = "examples/restart/main.ts";

/** Stories that install a framework beside them, for minutes the first time: `npm test` tells one of them, `npm run examples` all. */
const frameworks = globSync("examples/*/package-lock.json", { cwd: root }).map((lock) => dirname(lock));
const leftOut = process.env.TOOLWRIGHT_EXAMPLES === "short" ? frameworks.filter((folder) => folder !== "examples/agents-openai") : [];
const isLeftOut = (story: string) => leftOut.includes(dirname(story));

/** Stories that keep a durable store, and where in the folder that they are given. */
const storeIn: ReadonlyMap<string, string> = new Map([
  ["restart", ""],
  ["ai-sdk-agent", "store"],
]);
const folders: string[] = [];
// The first time that takes longer than any story may.
beforeAll(async () => {
  await Promise.all(frameworks.filter((folder) => !leftOut.includes(folder)).map((folder) => installOnDemand(join(root, folder))));
}, 300_000);
afterAll(() => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});

/** Its folder for a story with a store, which is a copy of that of the test run: to make one takes longer than the story. */
async function wordsOf(name: string): Promise<readonly string[]> {
  const store = storeIn.get(name);
  if (store === undefined) return [];
  const folder = mkdtempSync(join(tmpdir(), "toolwright-story-"));
  folders.push(folder);
  await createTestFolder(join(folder, store, "data"), process.env.TOOLWRIGHT_TEST_TEMPLATES as string);
  return [folder];
}

test.for(stories.filter((story) => story !== restart))("%s runs alone and checks its own result", async (story, { skip }) => {
  skip(isLeftOut(story), "npm run examples tells it");
  const name = story.split("/")[1] ?? "";
  // As npm runs it.
  const { stdout } = await run(process.execPath, ["scripts/example.ts", name, ...(await wordsOf(name))], { cwd: root, timeout: 60_000 });
  expect(stdout).toMatch(new RegExp(`^${name}: .+\\.$`, "m"));
});

test(`${restart} asks in one process, and is done in the next one`, async () => {
  const { stdout } = await run(process.execPath, ["scripts/example.ts", "restart", ...(await wordsOf("restart"))], {
    cwd: root,
    timeout: 60_000,
  });
  const [first, second] = Array.from(stdout.matchAll(/^restart: process (\d+) ends, and the call is (\w+)\.$/gm), ([, id, status]) => ({
    id,
    status,
  }));
  expect([first?.status, second?.status]).toEqual(["pending", "done"]);
  expect(second?.id).not.toBe(first?.id);
});

test("an example that is not there is answered with those that are", async () => {
  const failed = await run(process.execPath, ["scripts/example.ts", "frist-tool"], { cwd: root }).catch((error) => error);
  expect([failed.code, failed.stderr]).toEqual([2, expect.stringMatching(/There is no example "frist-tool".*first-tool/)]);
});
