import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { expect, test } from "vitest";
import { createGroups, removeGroups } from "./control-group.ts";
import { detectControlGroups } from "./control-group-detection.ts";

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
