import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Store } from "@toolwright/postgres";
import { afterEach, beforeEach, expect, test } from "vitest";
import { holdStore } from "../../../test/hold-store.ts";
import { createTestIo, runIn } from "../../../test/test-io.ts";
import { exitCodes } from "../../exit-code.ts";
import { runProgram } from "../../program.ts";

let cwd: string;
let store: Store;
beforeEach(async () => {
  cwd = await mkdtemp(join(tmpdir(), "toolwright-simulate-"));
  await mkdir(join(cwd, "workspace"));
  await writeFile(join(cwd, "changed.yaml"), "version: 1\ntools: { ask: [file_write] }\n");
  store = await holdStore(join(cwd, "home/.local/state/toolwright"));
});
afterEach(async () => {
  await store.close();
  await rm(cwd, { recursive: true, force: true });
});

const simulate = async (...more: string[]) => {
  const { code, out, err } = await runIn(cwd, ["policy", "simulate", "--policy", "changed.yaml", "--json", ...more]);
  if (code !== exitCodes.done) throw new Error(err);
  return out
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as Record<string, unknown>);
};

test("calls of the log are decided again, chosen by tool, agent, time and count, and as an export they are the same", async () => {
  const long = "words ".repeat(2_000);
  expect((await runIn(cwd, ["call", "file_write", JSON.stringify({ path: "a.txt", content: long })])).code).toBe(exitCodes.done);
  expect((await runIn(cwd, ["call", "exec", "--command", "rm -rf /"])).code).toBe(exitCodes.denied);
  expect((await runIn(cwd, ["call", "file_write", "--path", "b.txt"])).code).toBe(exitCodes.usage);

  const all = await simulate();
  expect(all).toEqual([
    { leftOut: expect.stringMatching(/^call_/), reason: "It ended before the policy was asked." },
    expect.objectContaining({
      place: expect.stringMatching(/^call_/),
      tool: "file_write",
      input: { path: "a.txt", content: expect.objectContaining({ truncated: true }) },
      before: expect.objectContaining({ effect: "allow" }),
      after: expect.objectContaining({ effect: "ask" }),
    }),
    { calls: 2, flips: 1, changes: { "allow to ask": 1 }, leftOut: 1, redacted: 0, unseen: 0 },
  ]);
  expect((await simulate("--tool", "exec")).at(-1)).toMatchObject({ calls: 1, flips: 0 });
  expect((await simulate("--agent", "nobody")).at(-1)).toMatchObject({ calls: 0 });
  await runIn(cwd, ["tenants", "create", "other"]);
  expect((await simulate("--tenant", "other")).at(-1)).toMatchObject({ calls: 0 });
  expect((await simulate("--limit", "2")).at(-1)).toMatchObject({ calls: 1, leftOut: 1 });

  const chunks: Uint8Array[] = [];
  const { io } = createTestIo(cwd, { outBytes: async (bytes) => void chunks.push(bytes) });
  expect(await runProgram(["log", "export", "--since", "1d"], io)).toBe(exitCodes.done);
  await writeFile(join(cwd, "calls.jsonl"), Buffer.concat(chunks));
  const [session = ""] = (await runIn(cwd, ["log", "sessions"])).out.match(/ses_[\w-]+/) ?? [];
  expect((await runIn(cwd, ["log", "show", session, "--json"])).out).toBe(await readFile(join(cwd, "calls.jsonl"), "utf8"));
  expect((await simulate("--calls", "calls.jsonl")).at(-1)).toMatchObject({ calls: 2, flips: 1 });
});
