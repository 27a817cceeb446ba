import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { runIn } from "../../../test/test-io.ts";
import { exitCodes } from "../../exit-code.ts";

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "toolwright-state-"));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

test.each<[state: string, words: RegExp]>([
  ["/dev/null", /tried to make \/dev\/null\/store, but a part of the path is no folder/],
  ...(existsSync("/proc/self") ? ([["/proc/nope", /tried to make \/proc\/nope, but/]] as [string, RegExp][]) : []),
])("a state folder %s is what the command lacks, and no defect of the program", async (state, words) => {
  for (const command of [
    ["db", "status"],
    ["secrets", "list"],
  ]) {
    const { code, err } = await runIn(root, command, { env: { TOOLWRIGHT_STATE: state } });
    expect({ code, err }).toEqual({ code: exitCodes.unavailable, err: expect.stringMatching(words) });
    expect(err).toMatch(/runs as the user .* TOOLWRIGHT_STATE/);
  }
});

test.each(["no-such-host.invalid:5432", "127.0.0.1:1"])("a server that is not there (%s) is named, without the password", async (place) => {
  const env = { DATABASE_URL: `postgres://an%20n:hunter2@${place}/tools?password=hunter2` };
  const { code, err } = await runIn(root, ["db", "status"], { env });
  const [host, port] = place.split(":");
  expect({ code, err }).toEqual({ code: exitCodes.unavailable, err: expect.stringContaining("cannot be reached. Check that it runs") });
  expect(err).toContain(`Tried host ${host}, port ${port}, database tools, user an n, from DATABASE_URL.`);
  expect(err).not.toContain("hunter2");
});

test.skipIf(!existsSync("/proc/self"))("a workspace that cannot be made is told with the option that names another one", async () => {
  for (const workspace of ["/proc/nope", "/dev/null/w"]) {
    const { code, err } = await runIn(root, ["serve", "--workspace", workspace, "--port", "0"]);
    expect(code).toBe(exitCodes.usage);
    expect(err).toMatch(new RegExp(`The workspace ${workspace} cannot be made: .* \\((ENOENT|ENOTDIR|EEXIST)\\).*--workspace`));
  }
});

test.each([
  ["", "has no name"],
  ["gone/all.gz", "ENOENT"],
  ["file/all.gz", "ENOTDIR"],
  ["gone/", "ENOENT"],
])('a backup to "%s" is refused before the store is opened', async (file, words) => {
  writeFileSync(join(root, "file"), "");
  const { code, err } = await runIn(root, ["db", "backup", file && `${root}/${file}`]);
  expect({ code, err }).toEqual({ code: exitCodes.usage, err: expect.stringContaining(words) });
  expect(existsSync(join(root, "home"))).toBe(false);
});

test("a backup that fails leaves nothing at its place", async () => {
  const { code } = await runIn(root, ["db", "backup", join(root, "all.gz")], { env: { TOOLWRIGHT_STATE: "/dev/null" } });
  expect(code).toBe(exitCodes.unavailable);
  expect(readdirSync(root).filter((name) => name.startsWith("all.gz"))).toEqual([]);
});
