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

/** Stories of two processes on one store: where it is in the folder that they are given, and how each process says that it ends. */
const restarts = [
  { name: "restart", store: "data", endings: ["the call is pending.", "the call is done."] },
  { name: "ai-sdk-agent", store: "store/data", endings: ["the model waits for a person.", "the model says: Order A-1 is refunded."] },
];
const nameOf = (story: string) => story.split("/")[1] ?? "";

/** Stories that install a framework beside them, for minutes the first time: `npm test` tells one of them, `npm run examples` all. */
const frameworks = globSync("examples/*/package-lock.json", { cwd: root }).map((lock) => dirname(lock));
const leftOut = process.env.TOOLWRIGHT_EXAMPLES === "short" ? frameworks.filter((folder) => folder !== "examples/agents-openai") : [];
const isLeftOut = (story: string) => leftOut.includes(dirname(story));

const folders: string[] = [];
// The first time that takes longer than any story may.
beforeAll(async () => {
  await Promise.all(frameworks.filter((folder) => !leftOut.includes(folder)).map((folder) => installOnDemand(join(root, folder))));
}, 600_000);
afterAll(() => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});

/** As npm runs it. */
async function tell(name: string, ...words: readonly string[]): Promise<string> {
  return (await run(process.execPath, ["scripts/example.ts", name, ...words], { cwd: root, timeout: 150_000 })).stdout;
}

const alone = stories.filter((story) => !restarts.some(({ name }) => name === nameOf(story)));

test.for(alone)("%s runs alone and checks its own result", async (story, { skip }) => {
  skip(isLeftOut(story), "npm run examples tells it");
  const name = nameOf(story);
  expect(await tell(name)).toMatch(new RegExp(`^${name}: .+\\.$`, "m"));
});

test.for(restarts)("examples/$name/main.ts asks in one process, and is done in the next one", async ({ name, store, endings }) => {
  const folder = mkdtempSync(join(tmpdir(), "toolwright-story-"));
  folders.push(folder);
  // A copy of the store of the test run: to make one takes longer than the story.
  await createTestFolder(join(folder, store), process.env.TOOLWRIGHT_TEST_TEMPLATES as string);
  const said = Array.from((await tell(name, folder)).matchAll(new RegExp(`^${name}: process (\\d+) ends, and (.+)$`, "gm")));
  expect(said.map(([, , how]) => how)).toEqual(endings);
  expect(new Set(said.map(([, id]) => id)).size).toBe(2);
});

test("an example that is not there is answered with those that are", async () => {
  const failed = await run(process.execPath, ["scripts/example.ts", "frist-tool"], { cwd: root }).catch((error) => error);
  expect([failed.code, failed.stderr]).toEqual([2, expect.stringMatching(/There is no example "frist-tool".*first-tool/)]);
});
