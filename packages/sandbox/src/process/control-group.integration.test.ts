import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { join as joinPath } from "node:path";
import { expect, test } from "vitest";
import { createGroups, removeGroups } from "./control-group.ts";
import { detectControlGroups } from "./control-group-detection.ts";
import { joinGroups, leaveGroups } from "./shared-groups.ts";

const names = { run: "toolwright-run", scope: `toolwright-${process.pid}-busy` };
const { shared } = detectControlGroups().plan(names, {}, { holdsTogether: true });

test.skipIf(shared.length === 0)("a group whose last member takes its time to end is removed all the same", async () => {
  createGroups(shared);
  const join = shared.map(({ directory, join }) => `echo 0 > ${directory}/${join}`).join("; ");
  const member = spawn("/bin/sh", ["-c", `${join}; echo in; exec sleep 1.5`], { stdio: ["ignore", "pipe", "inherit"] });
  await once(member.stdout, "data");
  await removeGroups(shared);
  expect(shared.filter(({ directory }) => existsSync(directory))).toEqual([]);
});

test.skipIf(shared.length === 0)("a scope goes with its last run, also where a run that was given up is still inside", async () => {
  const scope = { name: "busy", groups: shared, processes: 0, launcherProcesses: 0 };
  const inside = shared.map((group) => ({ ...group, directory: joinPath(group.directory, "toolwright-given-up"), settings: [] }));
  joinGroups(scope);
  createGroups(inside);
  const join = inside.map(({ directory }) => `echo 0 > ${directory}/cgroup.procs`).join("; ");
  const member = spawn("/bin/sh", ["-c", `${join}; echo in; exec sleep 1.5`], { stdio: ["ignore", "pipe", "inherit"] });
  await once(member.stdout, "data");
  await leaveGroups(scope);
  expect(shared.filter(({ directory }) => existsSync(directory))).toEqual([]);
});
