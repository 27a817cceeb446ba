import { mkdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { join } from "node:path";
import type { ServerRecord } from "@toolwright/server/state";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type ServedHere, serveHere } from "../../../test/serve-here.ts";
import { createTestIo, runIn } from "../../../test/test-io.ts";
import { exitCodes } from "../../exit-code.ts";
import { readSettings } from "../../settings.ts";
import { findLocalServer } from "./operate-remotely.ts";

let served: ServedHere;
beforeAll(async () => {
  served = await serveHere(["--no-worker"]);
}, 60_000);
afterAll(() => served.stop());

const record = () => join(served.root, "state/server.json");
const readRecord = async () => JSON.parse(await readFile(record(), "utf8")) as ServerRecord;
const run = (argv: readonly string[], more: Readonly<Record<string, string>> = {}) =>
  runIn(served.root, argv, { env: { ...served.env, ...more } });

/** Whether a command with these settings would ask the server. */
async function isAnswered(options: { readonly workspace?: string; readonly store?: boolean } = {}, env = {}): Promise<boolean> {
  const { io } = createTestIo(served.root, { env: { ...served.env, ...env } });
  const { store, ...named } = options;
  return (await findLocalServer(io, { settings: readSettings(named, io), tenant: undefined, store })) !== undefined;
}

/** While the record says something else. */
async function withRecord<Result>(changes: Partial<ServerRecord>, use: () => Promise<Result>): Promise<Result> {
  const before = await readFile(record(), "utf8");
  await writeFile(record(), JSON.stringify({ ...JSON.parse(before), ...changes }));
  return use().finally(() => writeFile(record(), before));
}

test("only this user reaches the socket, and the record tells no address of a database", async () => {
  const { socket = "" } = await readRecord();
  expect((await stat(socket)).mode & 0o777).toBe(0o600);
  expect((await stat(join(served.root, "state"))).mode & 0o777).toBe(0o700);
  const { DATABASE_URL = "" } = served.env;
  expect(await readFile(record(), "utf8")).not.toContain(new URL(DATABASE_URL).pathname.slice(1));
});

describe("a command asks the server of its state folder", () => {
  test("where it has the same store, workspace, tools and policy", async () => {
    expect(await isAnswered()).toBe(true);
  });

  test.each([
    { name: "another workspace", options: { workspace: "elsewhere" } },
    { name: "another folder of tools", env: { TOOLWRIGHT_TOOLS: "elsewhere" } },
    { name: "another model", env: { TOOLWRIGHT_MODEL: "openai/gpt-x" } },
    { name: "a key for models of its own", env: { OPENAI_API_KEY: "sk-of-this-shell" } },
    { name: "another database", env: { DATABASE_URL: "postgres://127.0.0.1:1/none" } },
  ])("and not with $name", async ({ options = {}, env = {} }) => {
    expect(await isAnswered(options, env)).toBe(false);
  });

  test("of what needs the store alone, whatever its workspace is", async () => {
    expect(await isAnswered({ workspace: "elsewhere", store: true })).toBe(true);
    expect(await isAnswered({ store: true }, { DATABASE_URL: "postgres://127.0.0.1:1/none" })).toBe(false);
  });

  test.each([
    { name: "of another version", changes: { version: "0.0.1" } },
    { name: "that was killed, and left its record", changes: { socket: "/nowhere/server.sock" } },
    { name: "without a socket", changes: { socket: undefined } },
    { name: "whose record is damaged", changes: { marks: undefined as never } },
  ])("and does it itself beside a server $name", async ({ changes }) => {
    await withRecord(changes, async () => {
      expect(await isAnswered()).toBe(false);
      expect((await run(["rooms", "list"])).code).toBe(exitCodes.done);
    });
  });
});

/** What a command says beside a server that hangs up on whoever asks, and how often somebody connected. */
async function runBesideCut(argv: readonly string[]) {
  const path = join(served.root, "cut.sock");
  let connections = 0;
  const cut = createServer((socket) => {
    connections += 1;
    socket.once("data", () => socket.destroy());
  });
  await new Promise<void>((resolve) => cut.listen(path, resolve));
  const said = await withRecord({ socket: path }, () => run(argv));
  await new Promise((resolve) => cut.close(resolve));
  return { ...said, connections };
}

test("a server that goes away in the middle is said, and nothing is tried a second time", async () => {
  const { code, out, err, connections } = await runBesideCut(["rooms", "create", "Cut", "--agent", "assistant"]);
  expect({ code, out }).toEqual({ code: exitCodes.unavailable, out: "" });
  expect(err).toContain("Look whether it happened");
  // One that looks whether anybody listens, and one that asks.
  expect(connections).toBe(2);
  expect((await run(["rooms", "list", "--json"])).out).not.toContain("Cut");
});

test("the server tells how its store stands, and what goes by the settings of a command is done by that command", async () => {
  for (const command of ["status", "verify"]) {
    expect(await runBesideCut(["db", command])).toMatchObject({ code: exitCodes.unavailable, connections: 2 });
    expect((await run(["db", command])).code).toBe(exitCodes.done);
  }
  expect(await runBesideCut(["db", "tidy"])).toMatchObject({ code: exitCodes.done, connections: 0 });
});

test("it speaks for the operator of this machine, in whichever tenant, and leaves a session only where something changed", async () => {
  expect((await run(["rooms", "list", "--tenant", "nowhere"])).err).toContain("nowhere");
  await run(["tenants", "create", "acme"]);
  expect((await run(["rooms", "list", "--tenant", "acme"])).out).toContain("There are no rooms.");
  expect(JSON.parse((await run(["sessions", "list", "--tenant", "acme", "--json"])).out)).toEqual([]);
  const { out } = await run(["rooms", "create", "Orders", "--agent", "assistant", "--tenant", "acme"]);
  expect(JSON.parse((await run(["rooms", "show", out.trim(), "--tenant", "acme", "--json"])).out)).toMatchObject({
    tenant: "acme",
    madeBy: { kind: "user" },
  });
  const [session] = JSON.parse((await run(["sessions", "list", "--tenant", "acme", "--json"])).out);
  expect(session).toMatchObject({ name: expect.stringMatching(/^cli-\d{4}-/) });
});

test.each([{ more: ["--json"] }, { more: [] }])("what a command wrote is in its result, with $more", async ({ more }) => {
  const { out } = await run(["call", "exec", "--command", "echo written", ...more]);
  expect(out).toContain("written");
});

test("nothing runs for a tenant that is suspended", async () => {
  await run(["tenants", "create", "idle"]);
  const call = () => run(["call", "--tenant", "idle", "file_list", "--path", "."]);
  expect(await call()).toMatchObject({ code: exitCodes.done });
  await run(["tenants", "suspend", "idle"]);
  expect(await call()).toMatchObject({ code: exitCodes.failed, out: "", err: expect.stringContaining("is suspended") });
});

test("a call that asks is asked at the terminal, and runs in the server", async () => {
  await mkdir(join(served.root, "workspace"), { recursive: true });
  await writeFile(join(served.root, "workspace/old.txt"), "old");
  const asked: string[] = [];
  const { io, said } = createTestIo(served.root, {
    env: served.env,
    isInteractive: true,
    ask: async (question) => {
      asked.push(question);
      return "y";
    },
  });
  const { runProgram } = await import("../../program.ts");
  expect(await runProgram(["call", "file_delete", "--path", "old.txt"], io), said.err).toBe(exitCodes.done);
  expect(asked).toHaveLength(1);
  await expect(stat(join(served.root, "workspace/old.txt"))).rejects.toThrow();
  await rm(join(served.root, "workspace"), { recursive: true });
});

test("a call that asks while nobody is there waits, with the commands that answer it, and is run by the server", async () => {
  await mkdir(join(served.root, "workspace"), { recursive: true });
  await writeFile(join(served.root, "workspace/old.txt"), "old");
  const { code, err } = await run(["call", "file_delete", "--path", "old.txt"]);
  expect(code).toBe(exitCodes.pending);
  expect(err).toMatch(/approvals approve \S+ --run/);
  const [id = ""] = /apr_[\w-]+/.exec(err) ?? [];
  expect(await run(["approvals", "approve", id, "--no-run"])).toMatchObject({ code: exitCodes.done });
  expect(await run(["approvals", "run", id])).toMatchObject({ code: exitCodes.done });
  await expect(stat(join(served.root, "workspace/old.txt"))).rejects.toThrow();
  expect(await run(["approvals", "run", "apr_missing"])).toMatchObject({ code: exitCodes.usage, out: "" });
});

test("a tool that the server left out is said once, as by a command that loads the tools itself", async () => {
  await mkdir(join(served.root, "tools"), { recursive: true });
  await writeFile(join(served.root, "tools/broken.tool.ts"), "export default 1;\n");
  await expect.poll(async () => (await run(["list"])).err, { timeout: 20_000 }).toMatch(/^Left out: .*broken\.tool\.ts/);
  const { err } = await run(["call", "file_list", "--path", "."]);
  expect(err.match(/Left out/g)).toHaveLength(1);
});
