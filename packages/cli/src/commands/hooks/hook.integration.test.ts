import { spawn } from "node:child_process";
import { mkdir, mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { createServerDatabase } from "@toolwright/postgres/testing";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createTestIo, runIn } from "../../../test/test-io.ts";
import { runProgram } from "../../program.ts";

let root: string;
let database: Awaited<ReturnType<typeof createServerDatabase>>;
beforeAll(async () => {
  database = await createServerDatabase();
  root = await mkdtemp(join(tmpdir(), "toolwright-hook-"));
  await mkdir(join(root, "project"));
});
afterAll(async () => {
  await rm(root, { recursive: true, force: true });
  await database.drop();
});

const event = (command: string, more: object = {}) =>
  JSON.stringify({
    session_id: "s1",
    cwd: join(root, "project"),
    hook_event_name: "PreToolUse",
    tool_name: "Bash",
    tool_input: { command },
    tool_use_id: `toolu ${command}`,
    ...more,
  });

const env = () => ({ DATABASE_URL: database.url });
const spooled = () => readdir(join(root, "home/.local/state/toolwright/events"));
const runs = async (): Promise<readonly { tool: string; status: string; door: string }[]> =>
  JSON.parse((await runIn(root, ["runs", "list", "--json"], { env: env() })).out).runs;

/** The real program, as an agent starts it. */
async function hook(input: string, ...words: readonly string[]): Promise<{ readonly code: number | null; readonly out: string }> {
  const program = fileURLToPath(new URL("../../../bin/toolwright.js", import.meta.url));
  const child = spawn(process.execPath, [program, "hook", "claude-code", ...words], {
    cwd: root,
    env: { PATH: process.env.PATH, HOME: join(root, "home"), ...env() },
    stdio: ["pipe", "pipe", "ignore"],
  });
  child.stdin.end(input);
  const [out, code] = await Promise.all([text(child.stdout), new Promise<number | null>((resolve) => child.once("exit", resolve))]);
  return { code, out };
}

const decisionOf = (out: string) => JSON.parse(out).hookSpecificOutput.permissionDecision;

test("without a server the policy file decides, and whoever opens the store next takes the events in", async () => {
  const { code, out } = await hook(event("rm -rf ~"));
  expect([code, decisionOf(out)]).toEqual([0, "deny"]);
  const asked = await runIn(root, ["hook", "claude-code"], { env: env(), readStdin: async () => event("git push") });
  expect(decisionOf(asked.out)).toBe("ask");
  expect(await spooled()).toHaveLength(2);
  expect((await runs()).map(({ tool, status, door }) => [tool, status, door])).toEqual([
    ["exec", "pending", "hook"],
    ["exec", "denied", "hook"],
  ]);
  expect(await spooled()).toEqual([]);
}, 60_000);

test("a policy that is broken denies, and the exit code is that of an answer", async () => {
  await writeFile(join(root, "broken.yaml"), "version: 1\nautonomy: none\n");
  const { code, out } = await hook(event("ls"), "--policy", "broken.yaml");
  expect([code, decisionOf(out)]).toEqual([0, "deny"]);
  expect(out).toContain("autonomy");
}, 60_000);

test("the server that runs on the state folder decides, and writes the log itself", async () => {
  const end = new AbortController();
  const { io, said } = createTestIo(root, { env: env(), signal: end.signal });
  const served = runProgram(["serve", "--port", "0", "--no-worker"], io);
  await expect.poll(() => said.out, { timeout: 30_000 }).toContain("MCP");
  const before = (await runs()).length;
  const { out } = await hook(event("echo of the server"));
  expect(decisionOf(out)).toBe("allow");
  expect(await spooled()).toEqual([]);
  const after = await hook(event("echo of the server", { hook_event_name: "PostToolUse", tool_response: "of the server" }));
  expect(after).toEqual({ code: 0, out: "{}" });
  const found = await runs();
  expect(found).toHaveLength(before + 1);
  expect(found[0]).toMatchObject({ status: "success", door: "hook" });
  end.abort();
  await served;
}, 90_000);
