import { chmodSync, mkdirSync, mkdtempSync, realpathSync, rmSync } from "node:fs";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { canReach, stageFor } from "./sandbox-identity.ts";

// Not TMPDIR, which may lie in a folder that nobody else can enter.
const open = mkdtempSync(join(realpathSync("/tmp"), "toolwright-stage-"));
chmodSync(open, 0o755);
mkdirSync(join(open, "closed/inner"), { recursive: true });
chmodSync(join(open, "closed"), 0o700);
afterAll(() => rmSync(open, { recursive: true }));

const nobody = { uid: 4242, gid: 4242 };
const self = { uid: process.getuid?.() ?? 0, gid: process.getgid?.() ?? 0 };

test("R-SB-13 a folder is out of reach for those who may not walk its parents", () => {
  expect(canReach(join(open, "closed"), nobody)).toBe(true);
  expect(canReach(join(open, "closed/inner"), nobody)).toBe(false);
  expect(canReach(join(open, "closed/inner"), self)).toBe(true);
});

test("R-SB-13 what can be reached is mounted from where it is, and starts nothing", () => {
  const staged = stageFor(nobody, "/usr/bin/unshare")([join(open, "closed"), "/usr", "/dev/null"]);
  expect(staged.prefix).toEqual([]);
  expect(staged.sourceOf("/usr")).toBe("/usr");
});

test("R-SB-13 what lies below something staged is found there, also when it does not exist yet", () => {
  const inner = join(open, "closed/inner");
  const staged = stageFor(nobody, "/usr/bin/unshare")([inner, join(inner, ".git/config")]);
  expect(staged.prefix[0]).toBe("/usr/bin/unshare");
  expect(staged.sourceOf(join(inner, ".git/config"))).toBe(`${staged.sourceOf(inner)}/.git/config`);
  expect(staged.sourceOf(inner)).not.toContain(open);
  expect(staged.sourceOf(`${inner}-beside`)).toBe(`${inner}-beside`);
});
