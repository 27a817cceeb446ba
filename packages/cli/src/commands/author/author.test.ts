import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { runIn } from "../../../test/test-io.ts";
import { exitCodes } from "../../exit-code.ts";

let root: string;
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), "toolwright author "));
});
afterEach(() => rm(root, { recursive: true, force: true }));

const run = (...words: string[]) => runIn(root, words, { env: { TOOLWRIGHT_STATE: join(root, "state") } });

test("a name that is taken is refused, and nothing is written", async () => {
  expect(await run("new", "tool", "file_read")).toMatchObject({
    code: exitCodes.usage,
    err: expect.stringMatching(/file_read is taken by a built-in tool/),
  });
  await expect(readFile(join(root, "tools/file-read.tool.ts"), "utf8")).rejects.toThrow();
});

test("new tool prints commands that name its folders as they are typed where it is read", async () => {
  await mkdir(join(root, "my tools"));
  const { err } = await run("new", "tool", "line_count", "--tools", "my tools", "--workspace", "work here");
  expect(err).toContain("test 'my tools/line-count.tool.ts'");
  expect(err).toContain(`mkdir -p 'work here' && echo "three short words" > 'work here/notes.txt'`);
  expect(err).toMatch(/call --workspace 'work here' --tools 'my tools' line_count --path notes\.txt/);
});

test.each<[string, string[], RegExp]>([
  ["a workspace that is a file", ["--workspace", "file"], /workspace .*file is a file, not a folder/],
  ["a folder of tools that is a file", ["--tools", "file"], /folder of tools .*file is a file, not a folder/],
  ["a folder of tools that is not there", ["--tools", "tolls"], /There is no folder of tools .*tolls/],
])("serve refuses %s", async (_, words, message) => {
  await writeFile(join(root, "file"), "");
  expect(await run("serve", "--port", "0", ...words)).toMatchObject({ code: exitCodes.usage, err: expect.stringMatching(message) });
});

test.each<[string, string, RegExp]>([
  ["that is not there", "nowhere.tool.ts", /There is no folder or file/],
  ["that is no tool by its name", "plain.ts", /Name it plain\.tool\.ts/],
])("test refuses a file %s", async (_, file, message) => {
  await writeFile(join(root, "plain.ts"), "");
  expect(await run("test", file)).toMatchObject({ code: exitCodes.usage, err: expect.stringMatching(message) });
});
