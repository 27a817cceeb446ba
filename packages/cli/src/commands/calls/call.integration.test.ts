import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir, userInfo } from "node:os";
import { join } from "node:path";
import { createServerDatabase } from "@toolwright/postgres/testing";
import { afterEach, beforeEach, expect, test } from "vitest";
import { createTestIo } from "../../../test/test-io.ts";
import { exitCodes } from "../../exit-code.ts";
import type { Io } from "../../io.ts";
import { runProgram } from "../../program.ts";

let root: string;
let database: Awaited<ReturnType<typeof createServerDatabase>>;
beforeEach(async () => {
  database = await createServerDatabase();
  root = await mkdtemp(join(tmpdir(), "toolwright-call-"));
  await mkdir(join(root, "workspace"));
  await writeFile(join(root, "policy.yaml"), "version: 1\ntools: { ask: [file_write] }\n");
});
afterEach(async () => {
  await rm(root, { recursive: true, force: true });
  await database.drop();
});

/** A terminal with a person who gives one answer; undefined is a closed input. */
function terminal(answer: string | undefined): Io & { readonly said: string[] } {
  const said: string[] = [];
  const keep = (text: string) => void said.push(text);
  const { io } = createTestIo(root, {
    env: { USER: "ann", DATABASE_URL: database.url },
    out: keep,
    err: keep,
    readStdin: async () => '{"path": "a.txt", "content": "from stdin"}',
    isInteractive: true,
    outIsTerminal: true,
    columns: 100,
    ask: async (question) => {
      keep(question);
      return answer;
    },
  });
  return { ...io, said };
}

const write = ["call", "file_write", "--policy", "policy.yaml"];
const fields = ["--path", "a.txt", "--content", "one\u202etwo"];
const written = () => readFile(join(root, "workspace/a.txt"), "utf8").catch(() => undefined);

test("a person at the terminal is shown the whole call, and a yes runs it", async () => {
  const io = terminal("y");
  expect(await runProgram([...write, ...fields], io)).toBe(exitCodes.done);
  expect(await written()).toBe("one\u202etwo");
  const card = io.said.join("");
  for (const words of [
    "This call waits for you",
    "tool     file_write",
    `user ${userInfo().username}`,
    "tools.ask[0]",
    "path: a.txt",
    "content: one<U+202E>two",
    "Run it, once? [y/N]",
  ]) {
    expect(card).toContain(words);
  }
});

test.each([
  ["a no", "n", exitCodes.denied],
  ["an empty line", "", exitCodes.denied],
  ["other words", "yes please", exitCodes.denied],
  ["a closed input", undefined, exitCodes.pending],
])("%s does not run it", async (_, answer, code) => {
  expect(await runProgram([...write, ...fields], terminal(answer))).toBe(code);
  expect(await written()).toBeUndefined();
});

test.each([
  ["this call only, when nothing else is said", "y", []],
  ["in this session", "session", [["session", 1]]],
  ["for this caller", "AGENT", [["agent", 1]]],
  ["for the tenant", " tenant ", [["tenant", 1]]],
])("a yes holds %s, and what would be remembered is shown first", async (_, answer, expected) => {
  const io = terminal(answer);
  expect(await runProgram([...write, ...fields], io)).toBe(exitCodes.done);
  const said = io.said.join("");
  expect(said).toMatch(
    /To be remembered for file_write:\n +allows +write a\.txt\n +matches +a\.txt\n.*but not.*y +run it, this call only/s,
  );
  expect(said.indexOf("To be remembered")).toBeLessThan(said.indexOf("Run it, once?"));
  const listed = terminal(undefined);
  await runProgram(["grants", "list", "--json", "--policy", "policy.yaml"], listed);
  const grants = JSON.parse(listed.said.join("")) as { record: { scope: { kind: string }; allows: unknown[] } }[];
  expect(grants.map(({ record }) => [record.scope.kind, record.allows.length])).toEqual(expected);
  if (expected.length > 0)
    expect(await runProgram([...write, "--path", "a.txt", "--content", "again"], terminal("n"))).toBe(exitCodes.done);
});

test("where nothing may be remembered the reason is there, and no choice (R-AP-9)", async () => {
  await writeFile(join(root, "policy.yaml"), "version: 1\ntools: { ask: [file_write] }\napprovals: { grants: false }\n");
  const io = terminal("session");
  expect(await runProgram([...write, ...fields], io)).toBe(exitCodes.denied);
  expect(io.said.join("")).toContain("cannot be remembered: the policy lets nothing stand for a person here");
  expect(io.said.join("")).not.toContain("run it, and remember");
});

test("an open approval is shown with the same offer", async () => {
  const pending = terminal(undefined);
  await runProgram([...write, ...fields], pending);
  const [id = ""] = /apr_[\w-]+/.exec(pending.said.join("")) ?? [];
  const shown = terminal(undefined);
  await runProgram(["approvals", "show", id, "--policy", "policy.yaml"], shown);
  expect(shown.said.join("")).toMatch(/allows +write a\.txt.*--remember session +in this session.*--remember tenant/s);
});

test("when the input comes from stdin nobody is asked there", async () => {
  const io = terminal("y");
  expect(await runProgram([...write, "-"], io)).toBe(exitCodes.pending);
  expect(io.said.join("")).not.toContain("Run it");
});

test("a call with an idempotency key runs once, also from another process, and says so (R-AU-4)", async () => {
  const note = ["call", "file_write", "--idempotency-key", "k1", "--path", "b.txt", "--overwrite", "--content"];
  const first = terminal(undefined);
  expect(await runProgram([...note, "one"], first)).toBe(exitCodes.done);
  await writeFile(join(root, "workspace/b.txt"), "changed since");
  const again = terminal(undefined);
  expect(await runProgram([...note, "one"], again)).toBe(exitCodes.done);
  expect(await readFile(join(root, "workspace/b.txt"), "utf8")).toBe("changed since");
  expect(again.said.join("")).toContain("Nothing ran now");
  const other = terminal(undefined);
  expect(await runProgram([...note, "two"], other)).toBe(exitCodes.failed);
  expect(other.said.join("")).toContain("idempotency_mismatch");
}, 60_000);
