import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { WorkspaceSurveyor } from "./workspace-view.ts";

let workspace: string;
const write = (path: string) => {
  mkdirSync(dirname(join(workspace, path)), { recursive: true });
  writeFileSync(join(workspace, path), "");
};
const survey = (surveyor: WorkspaceSurveyor<"secret">) => surveyor.survey().then(({ found }) => found.map(({ path }) => path));
const secrets = () => new WorkspaceSurveyor<"secret">(workspace, ({ name }) => (name === "secret" ? "secret" : undefined));

beforeEach(() => {
  workspace = mkdtempSync(join(tmpdir(), "toolwright-survey-"));
});
afterEach(() => rmSync(workspace, { recursive: true, force: true }));

test("finds entries at every depth and does not follow links", async () => {
  for (const path of ["secret", "a/b/c/secret", "a/other"]) write(path);
  symlinkSync("/etc", join(workspace, "a", "out"));
  symlinkSync("c", join(workspace, "a", "b", "secret"));
  expect(await survey(secrets())).toEqual(["a/b/c/secret", "a/b/secret", "secret"]);
});

test("a second survey sees what was added, renamed and removed since, however soon", async () => {
  const surveyor = secrets();
  write("a/secret");
  expect(await survey(surveyor)).toEqual(["a/secret"]);
  write("a/b/secret");
  expect(await survey(surveyor)).toEqual(["a/b/secret", "a/secret"]);
  rmSync(join(workspace, "a"), { recursive: true });
  write("a/secret/inside");
  expect(await survey(surveyor)).toEqual(["a/secret"]);
});

test("says when there are more folders than it looks at", async () => {
  for (const path of ["a/x", "b/x", "c/x"]) write(path);
  const surveyor = new WorkspaceSurveyor(workspace, () => undefined, 2);
  expect((await surveyor.survey()).isComplete).toBe(false);
});
