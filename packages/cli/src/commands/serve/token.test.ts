import { createHash } from "node:crypto";
import { mkdtemp, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { keptToken } from "@toolwright/server/state";
import { afterEach, beforeEach, expect, test } from "vitest";
import { runIn } from "../../../test/test-io.ts";
import { exitCodes } from "../../exit-code.ts";
import { readBindOptions } from "../../input/read-bind-options.ts";

let root: string;
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), "toolwright-token-"));
});
afterEach(() => rm(root, { recursive: true, force: true }));

const run = (...words: string[]) => runIn(root, ["token", ...words], { env: { TOOLWRIGHT_STATE: join(root, "state") } });
const file = () => join(root, "state/token.sha256");

test("a token is shown once, alone on stdout, and kept as its hash for its owner", async () => {
  const { code, out } = await run();
  expect([code, out]).toEqual([exitCodes.done, expect.stringMatching(/^[0-9a-f]{64}\n$/)]);
  expect((await readFile(file(), "utf8")).trim()).toBe(createHash("sha256").update(out.trim()).digest("hex"));
  expect((await stat(file())).mode & 0o777).toBe(0o600);
  const again = await run();
  expect([again.code, again.out, again.err]).toEqual([exitCodes.usage, "", expect.stringContaining("--replace")]);
  expect((await run("--replace")).out).not.toBe(out);
});

test("the server asks for a kept token, on every address, and one in the environment wins", async () => {
  const place = { port: "0", host: "0.0.0.0" };
  expect(() => readBindOptions(place, { env: {} })).toThrow(/toolwright token/);
  await run();
  const kept = keptToken(join(root, "state")).read();
  expect(readBindOptions(place, { env: {} }, kept).token).toEqual(kept);
  expect(readBindOptions(place, { env: { TOOLWRIGHT_TOKEN: "t".repeat(20) } }, kept).token).toBe("t".repeat(20));
});

test("a damaged hash lets nobody serve without a token", async () => {
  await run();
  await writeFile(file(), "abc\n");
  expect(() => keptToken(join(root, "state")).read()).toThrow(/is damaged/);
});

test("a token can be removed, once", async () => {
  await run();
  expect((await run("--remove")).code).toBe(exitCodes.done);
  expect(keptToken(join(root, "state")).read()).toBeUndefined();
  expect((await run("--remove")).code).toBe(exitCodes.usage);
});
