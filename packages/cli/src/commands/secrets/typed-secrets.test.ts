import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { runIn } from "../../../test/test-io.ts";
import { exitCodes } from "../../exit-code.ts";

let root: string;
beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), "toolwright-typed-secrets-"));
});
afterAll(() => rm(root, { recursive: true, force: true }));

test.each([
  ["behind the name", ["set", "TOKEN", "hunter2-hunter2"]],
  ["after =", ["set", "TOKEN=hunter2-hunter2"]],
  ["in the place of the name", ["set", "hunter2-hunter2!"]],
  ["as an option", ["set", "TOKEN", "--value=hunter2-hunter2"]],
  ["as a short option", ["set", "TOKEN", "-vhunter2-hunter2"]],
  ["in the place of a command", ["hunter2-hunter2"]],
  ["where there is none to be typed", ["remove", "TOKEN=hunter2-hunter2"]],
  ["behind a name to remove", ["remove", "TOKEN", "hunter2-hunter2"]],
])("a secret that is typed %s is not repeated, and nothing is set", async (_, words) => {
  const { code, out, err } = await runIn(root, ["secrets", ...words], { readStdin: async () => "another value" });
  expect(out + err).not.toContain("hunter2");
  expect([code, out]).toEqual([exitCodes.usage, ""]);
  expect(err.trim()).not.toBe("");
});

test("the refusal says how a value is given", async () => {
  const { err } = await runIn(root, ["secrets", "set", "TOKEN", "hunter2"]);
  expect(err).toMatch(/toolwright secrets set TOKEN and answer the prompt.*toolwright secrets set TOKEN < FILE/);
});
