import { mkdirSync, mkdtempSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { confineMoves } from "./confine-workdir.ts";

let base: string;
const workspace = () => join(base, "work");
beforeAll(() => {
  base = mkdtempSync(join(tmpdir(), "toolwright-moves-"));
  for (const folder of ["work/src/lib", "out/lib"]) mkdirSync(join(base, folder), { recursive: true });
  symlinkSync(join(base, "out"), join(workspace(), "link"));
  symlinkSync("../../out", join(workspace(), "src/up"));
  symlinkSync("src", join(workspace(), "inner"));
});
afterAll(() => rmSync(base, { recursive: true, force: true }));

describe("a folder that a command enters is inside the workspace (R-SB-1)", () => {
  test.each([
    "cd link && npm test",
    "cd ./link/lib && npm test",
    "cd 'link' && npm test",
    'cd "link"; npm test',
    "cd li\\nk && npm test",
    "(cd src && cd up && npm test)",
    "cd src; cd up; npm test",
    "cd src/up && npm test",
  ])("%s is refused", async (command) => {
    await expect(confineMoves(workspace(), ".", command)).rejects.toMatchObject({ code: "command_refused" });
  });

  test("by an absolute path of the workspace, too", async () => {
    const root = workspace();
    await expect(confineMoves(root, ".", `cd ${root}/link && npm test`)).rejects.toMatchObject({ code: "command_refused" });
    await expect(confineMoves(root, ".", `cd src && cd '${root}/src/up' && ls`)).rejects.toMatchObject({ code: "command_refused" });
    await expect(confineMoves(root, ".", `cd ${root}/src && npm test`)).resolves.toBeUndefined();
  });

  test("from the folder of the call on", async () => {
    await expect(confineMoves(workspace(), "src", "cd up && ls")).rejects.toMatchObject({ code: "command_refused" });
    await expect(confineMoves(workspace(), "src", "cd lib && ls")).resolves.toBeUndefined();
  });

  test.each([
    "cd src && npm test",
    "cd inner/lib && npm test",
    "cd missing && npm test",
    "cd /tmp && ls",
    "cd .. && ls",
    "echo abcd link",
    "ls",
  ])("%s goes on", async (command) => {
    await expect(confineMoves(workspace(), ".", command)).resolves.toBeUndefined();
  });
});
