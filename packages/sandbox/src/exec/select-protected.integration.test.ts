import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { selectProtected } from "./select-protected.ts";

const paths = [".git/config", ".git/hooks", ".toolwright"];
let workspace: string;
beforeEach(async () => {
  workspace = await mkdtemp(join(tmpdir(), "tw-protected-"));
});
afterEach(() => rm(workspace, { recursive: true }));

describe("what is protected from commands (R-SB-7)", () => {
  it("is all of it where there is a repository, also what is missing in it", async () => {
    await mkdir(join(workspace, ".git"));
    expect(await selectProtected(workspace, paths)).toEqual(paths);
  });

  it("is nothing inside a .git that is not there, so that git init works", async () => {
    expect(await selectProtected(workspace, paths)).toEqual([".toolwright"]);
  });

  it("is the .git itself where it is a file, as in a worktree", async () => {
    await writeFile(join(workspace, ".git"), "gitdir: elsewhere");
    expect(await selectProtected(workspace, paths)).toEqual([".git", ".toolwright"]);
  });
});
