import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { Exec } from "@toolwright/engine";
import { afterAll, afterEach, beforeEach, expect, test, vi } from "vitest";
import { createHostDriver } from "../drivers/index.ts";
import { execCapability } from "../exec/index.ts";
import { surveyWorkspace, WorkspaceSurveyor } from "../exec/workspace-view.ts";
import { createCallSite } from "../testing/call-site.ts";
import { guardRun } from "./guard-metadata.ts";

const host = createHostDriver();
afterAll(() => host.close());

let workspace: string;
beforeEach(() => {
  workspace = realpathSync(mkdtempSync(join(tmpdir(), "toolwright-guard-")));
});
afterEach(() => {
  vi.restoreAllMocks();
  rmSync(workspace, { recursive: true, force: true });
});

function write(path: string, text = ""): void {
  mkdirSync(dirname(join(workspace, path)), { recursive: true });
  writeFileSync(join(workspace, path), text);
}
function makeRepository(folder: string, settings = ""): void {
  for (const name of ["objects/x", "refs/x"]) write(join(folder, name));
  write(join(folder, "HEAD"), "ref: refs/heads/main\n");
  write(join(folder, "config"), settings);
}
const evil = "[core]\n\tfsmonitor = ./evil\n";
const reads = { access: "reads", approved: false, seals: false } as const;

test.each(["true", "git status"])("a run of %s looks through its workspace once before it and once after it", async (command) => {
  makeRepository(".git");
  const survey = vi.spyOn(WorkspaceSurveyor.prototype, "survey");
  const commands = execCapability({ drivers: [host], workspaceOf: () => workspace });
  const site = createCallSite({ sandbox: { mode: "host", network: "host" } });
  await (commands.open("run", site) as Exec).run({ command });
  expect(survey).toHaveBeenCalledTimes(2);
  await commands.close();
});

test("a survey from before another run's end is not taken for what is there now", async () => {
  const survey = await surveyWorkspace(workspace);
  const first = await guardRun(workspace, { access: "configures", approved: true, seals: false });
  makeRepository(".git", evil);
  expect(await first.end()).toEqual([]);
  const second = await guardRun(workspace, reads, survey);
  expect(await second.end()).toEqual([]);
  expect(readFileSync(join(workspace, ".git/config"), "utf8")).toBe(evil);
});

test("a survey of another workspace is not used", async () => {
  makeRepository(".git", evil);
  const other = mkdtempSync(join(tmpdir(), "toolwright-guard-"));
  const run = await guardRun(workspace, reads, await surveyWorkspace(realpathSync(other)));
  rmSync(other, { recursive: true });
  expect(await run.end()).toEqual([]);
  expect(readFileSync(join(workspace, ".git/config"), "utf8")).toBe(evil);
});

test.each([".ssh/.git", "x.env/.git", ".aws/bare", "a/.docker/b/.git", ".kube/.GIT"])(
  "git metadata that a run makes in %s is found although the folder is one of credentials",
  async (folder) => {
    const run = await guardRun(workspace, reads, await surveyWorkspace(workspace));
    makeRepository(folder, evil);
    expect(await run.end()).toMatchObject([{ kind: "git_metadata" }]);
    expect(readFileSync(join(workspace, folder, "config"), "utf8")).toBe("");
  },
);
