import { execFile } from "node:child_process";
import { globSync } from "node:fs";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { root } from "../architecture/source-files.ts";

const run = promisify(execFile);
const stories = globSync("examples/*/main.ts", { cwd: root }).sort();

test("there are stories", () => {
  expect(stories.length).toBeGreaterThan(4);
});

test.each(stories)("%s runs alone and checks its own result", async (story) => {
  const { stdout } = await run(process.execPath, ["--conditions=@toolwright/source", story], { cwd: root, timeout: 30_000 });
  expect(stdout).toMatch(new RegExp(`^${story.split("/")[1]}: .+\\.$`, "m"));
});
