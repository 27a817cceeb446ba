import { chmodSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { ProcessSpec } from "@toolwright/engine/ports";
import { afterEach, beforeEach, expect, test } from "vitest";
import { containerArgv } from "./docker-command.ts";
import { nsjailArgv } from "./nsjail.ts";
import { unstaged } from "./sandbox-identity.ts";
import { findHidden, standIns } from "./sandbox-root.ts";

let workspace: string;
beforeEach(() => {
  workspace = mkdtempSync(join(tmpdir(), "toolwright-hide-"));
  for (const path of [".env", ".aws/credentials", "shut/.env"]) {
    mkdirSync(dirname(join(workspace, path)), { recursive: true });
    writeFileSync(join(workspace, path), "x");
  }
  symlinkSync(".env", join(workspace, "link"));
});
afterEach(() => rmSync(workspace, { recursive: true, force: true }));

const prepare = (hiddenPaths: readonly string[]) => {
  const spec: ProcessSpec = {
    ...{ program: { shell: "true" }, workspace, workdir: ".", writable: true, env: {}, network: "none", limits: {} },
    ...{ protectedPaths: [], hiddenPaths, stdin: "closed", timeoutMs: 1000 },
  };
  const { uid, gid } = statSync(workspace);
  return { spec, workspace, workdir: workspace, owner: { uid, gid }, argv: ["true"] as [string], baseEnv: {}, env: {} };
};
const brief = (paths: readonly string[]) =>
  findHidden(prepare(paths)).map(({ path, isFolder }) => `${path.slice(workspace.length + 1)}${isFolder ? "/" : ""}`);

test("what is there is covered once, as the file or folder that it is", () => {
  expect(brief([".env", ".aws", ".env", "missing/.env", ".env.gone"])).toEqual([".env", ".aws/"]);
});

test("a link and what lies outside are left", () => {
  expect(brief(["link", "../x", "link/x", ".."])).toEqual([]);
});

test("in a folder that its owner has shut, the folder is covered", () => {
  chmodSync(join(workspace, "shut"), 0o000);
  expect(brief(["shut/.env", ".env"])).toEqual(["shut/", ".env"]);
  chmodSync(join(workspace, "shut"), 0o755);
});

test("another file of the same name is another place", () => {
  const [before] = findHidden(prepare([".env"]));
  writeFileSync(join(workspace, "new"), "y");
  rmSync(join(workspace, ".env"));
  writeFileSync(join(workspace, ".env"), "y");
  expect(findHidden(prepare([".env"]))[0]?.identity).not.toBe(before?.identity);
});

test("too many are refused, with what to do", () => {
  const many = Array.from({ length: 4001 }, (_, index) => `${index}/.env`);
  expect(() => findHidden(prepare(many))).toThrow(/4001 credential files.*Approve the call/);
});

test("the empty places can be read by all, and are made again when something has been at them", () => {
  const { file, folder } = standIns();
  expect([readFileSync(file, "utf8"), readdirSync(folder)]).toEqual(["", []]);
  expect([statSync(dirname(file)).mode & 0o777, statSync(file).mode & 0o777]).toEqual([0o755, 0o444]);
  expect(standIns().file).toBe(file);
  chmodSync(file, 0o644);
  writeFileSync(file, "x");
  const next = standIns();
  expect(readFileSync(next.file, "utf8")).toBe("");
  rmSync(dirname(file), { recursive: true });
  rmSync(dirname(next.file), { recursive: true });
  expect(readFileSync(standIns().file, "utf8")).toBe("");
});

test("a container and a jail cover them after everything else in the workspace", () => {
  const prepared = prepare([".env", ".aws"]);
  const hidden = findHidden(prepared);
  const protection = { mounts: [{ path: join(workspace, ".git"), writable: false, optional: false }], entries: [], gaps: [], mark: "" };
  const container = containerArgv(prepared, {
    ...{ name: "n", image: "i", token: "t", user: prepared.owner, protection, hidden, readable: [], temporaryMb: 1, runArguments: [] },
    limits: {},
  }).join(" ");
  expect(container).toMatch(
    new RegExp(`${workspace}/.git.*source=/dev/null,target=${workspace}/.env,readonly --tmpfs ${workspace}/.aws:ro`),
  );
  const { file, folder } = standIns();
  const jail = nsjailArgv(prepared, {
    ...{ nsjail: "j", shell: "s", protection, hidden, readable: [], temporaryMb: 1, stage: unstaged },
    ...{ user: { inside: 1, outside: 1 }, group: { inside: 1, outside: 1 } },
  }).join(" ");
  expect(jail).toMatch(
    new RegExp(`${workspace}/.git.*--bindmount_ro ${file}:${workspace}/.env --bindmount_ro ${folder}:${workspace}/.aws`),
  );
});
