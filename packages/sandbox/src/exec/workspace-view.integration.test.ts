import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { WorkspaceViews } from "./workspace-view.ts";

let workspace: string;
beforeEach(() => {
  workspace = mkdtempSync(join(tmpdir(), "toolwright-view-"));
});
afterEach(() => rmSync(workspace, { recursive: true, force: true }));

test.each([
  ["a file at any depth", ["a/b/.env"], ["a/b/.env"]],
  ["a folder of credentials as a whole", [".ssh/id_rsa", ".ssh/deep/x.pem"], [".ssh"]],
  ["a file in a folder that is named almost like git's", [".GIT/.env", "git~1/.npmrc"], [".GIT/.env", "git~1/.npmrc"]],
  ["nothing in git's own folder", [".git/x.pem"], []],
])("a view holds %s", async (_, files, credentials) => {
  for (const file of files) {
    mkdirSync(dirname(join(workspace, file)), { recursive: true });
    writeFileSync(join(workspace, file), "TOKEN=0123456789abcdef\n");
  }
  const view = await new WorkspaceViews().look(workspace);
  expect(view.credentials.map(({ path }) => path)).toEqual(credentials);
});

test("repositories are found at every depth, also in a folder of credentials, and by git's own name alone", async () => {
  for (const folder of [".git", "a/b/.git", ".aws/.git", "c/.GIT"]) mkdirSync(join(workspace, folder), { recursive: true });
  expect((await new WorkspaceViews().look(workspace)).repositories).toEqual([".aws", "", "a/b"]);
});
