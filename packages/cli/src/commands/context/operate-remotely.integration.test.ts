import { rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { openStore } from "@toolwright/postgres";
import { sql } from "kysely";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type ServedHere, serveHere } from "../../../test/serve-here.ts";
import { runIn } from "../../../test/test-io.ts";
import { exitCodes } from "../../exit-code.ts";

let served: ServedHere;
beforeAll(async () => {
  served = await serveHere(["--no-worker"]);
  await writeFile(join(served.root, "policy.yaml"), "tools:\n  ask: [file_delete, exec]\n");
  for (const line of [
    ["agents", "create", "coder", "--with", "file_read"],
    ["skills", "create", "notes", "--with", "file_read"],
    ["keys", "create", "ci"],
    ["users", "invite", "ann@example.org"],
    ["schedule", "add", "daily", "file_list", "--cron", "0 9 * * *", "--zone", "UTC"],
    ["policy", "put", "policy.yaml", "--note", "Ask first"],
  ])
    await served.run(...line);
  await served.run("call", "file_list", "--path", ".");
}, 60_000);
afterAll(() => served.stop());

/** In this process, which opens the store itself, and on the server that is named. What a server of this machine answers must be the first of them. */
const bothWays = async (argv: readonly string[], stdin = "") => {
  const given = { env: served.env, readStdin: async () => stdin };
  const [first = "", ...more] = argv;
  // Behind a tool's name stand its fields.
  const there = first === "call" || first === "why" ? [first, "--server", served.url, ...more] : [...argv, "--server", served.url];
  return [await alone(() => runIn(served.root, argv, given)), await runIn(served.root, there, given)] as const;
};

/** Commands find the server of this machine by its record: without that, they do all themselves. */
async function alone<Result>(run: () => Promise<Result>): Promise<Result> {
  const record = join(served.root, "state/server.json");
  await rename(record, `${record}.away`);
  try {
    return await run();
  } finally {
    await rename(`${record}.away`, record);
  }
}

describe("a command answers on a server as it does on this machine", () => {
  test.each([
    ["list", "--json"],
    ["list"],
    ["approvals", "list"],
    ["approvals", "list", "--json"],
    ["grants", "list"],
    ["runs", "list", "--json", "--tool", "file_list"],
    ["policy", "versions"],
    ["policy", "versions", "--json"],
    ["secrets", "list"],
    ["users", "list"],
    ["users", "list", "--json"],
    ["keys", "list", "--json"],
    ["tenants", "list"],
    ["tenants", "list", "--json"],
    ["jobs", "list"],
    ["jobs", "list", "--json", "--state", "failed", "unknown"],
    ["schedule", "list"],
    ["schedule", "list", "--json"],
    ["why", "exec", "--command", "git push", "--json"],
    ["why", "file_read"],
    ["schema", "file_read", "--target", "openai-strict"],
    ["schema", "file_read", "--report", "--json"],
    ["schema", "--report"],
    ["why", "exec", "--agent", "coder"],
    ["list", "--agent", "coder"],
    ["list", "--group", "fs", "--json"],
    ["list", "--search", "read a file"],
    ["policy", "diff"],
    ["agents", "list", "--json"],
    ["agents", "show", "coder"],
    ["tools", "list", "--agent", "coder"],
    ["tools", "list", "--json"],
    ["skills", "list"],
    ["skills", "show", "notes", "--json"],
    ["usage", "--tool", "file_list", "--json"],
  ])("%s %s %s %s %s", async (...argv) => {
    const words = argv.filter((word) => typeof word === "string");
    const [here, there] = await bothWays(words);
    expect({ code: there.code, out: there.out }, there.err).toEqual({ code: here.code, out: here.out });
    expect(here.code, here.err).toBe(exitCodes.done);
    const beside = await runIn(served.root, words, { env: served.env });
    expect({ code: beside.code, out: beside.out, err: beside.err }).toEqual({ code: here.code, out: here.out, err: here.err });
  });
});

test("doctor answers on a server as it does on this machine, also of what the database lacks", async () => {
  const [here, there] = await bothWays(["doctor"]);
  expect({ code: there.code, out: there.out }, there.err).toEqual({ code: here.code, out: here.out });
  expect(here.code, here.err).toBe(exitCodes.done);
  const vectors =
    /^(?:missing +vectors: .*has no extension vector.*\n +remedy: CREATE EXTENSION vector;|ok +vectors: .*toolwright db vectors makes indexes)$/m;
  expect(here.out).toMatch(vectors);

  const reports = (await bothWays(["doctor", "--json"])).map(({ out }) => JSON.parse(out) as unknown);
  expect(reports[1]).toEqual(reports[0]);
});

test("doctor counts the sessions without an owner, here and on a server, in words and as JSON", async () => {
  const ownerless = async () =>
    (await bothWays(["doctor", "--json"])).map(({ out }) => {
      const { checks } = JSON.parse(out) as { checks: readonly { name: string }[] };
      return checks.find(({ name }) => name === "sessions");
    });
  expect(await ownerless()).toEqual([undefined, undefined]);

  // As migration 0047 leaves them; of the last one, retention removed all events.
  const store = await openStore({ url: served.env.DATABASE_URL, process: "test", holder: "a test" });
  await sql`insert into toolwright.sessions (tenant, session, sequence, removed_through, removed_at, created_at, last_at)
    values ('default', 'old-1', 4, 2, now(), now(), now()), ('default', 'old-2', 4, 0, null, now(), now()), ('default', 'gone', 4, 4, now(), now(), now())`.execute(
    store.database.owner,
  );
  await store.close();
  const check = {
    ...{ name: "sessions", state: "missing" },
    detail: "2 sessions have no owner, as an older version wrote no owner. Only people with the permission sessions:manage see them.",
    remedy: "find them with: toolwright sessions list --ownerless; give one to a person with: toolwright sessions share ID --with USER",
  };
  expect(await ownerless()).toEqual([check, check]);
  const [here, there] = await bothWays(["doctor"]);
  expect(here.out).toContain(`missing  sessions: ${check.detail}\n         remedy: ${check.remedy}\n`);
  expect({ code: there.code, out: there.out }).toEqual({ code: here.code, out: here.out });
  expect(here.code).toBe(exitCodes.done);

  const listed = await bothWays(["sessions", "list", "--ownerless", "--json"]);
  for (const { out } of listed) expect((JSON.parse(out) as { id: string }[]).map(({ id }) => id).toSorted()).toEqual(["old-1", "old-2"]);
  await served.run("sessions", "share", "old-1", "--with", "ann");
  expect(await served.run("sessions", "list", "--ownerless")).toMatch(/^old-1 .* ann /m);
});

test("a schedule in a time zone that this machine does not know waits, as its list and doctor say, here and on a server", async () => {
  await served.run("schedule", "add", "moved", "file_list", "--cron", "0 9 * * *", "--zone", "Europe/Berlin");
  const store = await openStore({ url: served.env.DATABASE_URL, process: "test", holder: "a test" });
  await sql`update toolwright.schedules set zone = 'Europe/Atlantis' where name = 'moved'`.execute(store.database.owner);
  await store.close();
  const words: readonly (readonly [command: string, said: RegExp])[] = [
    ["schedule list", /^moved +0 9 \* \* \* \(Europe\/Atlantis\) +waits +never +file_list +This machine does not know its time zone/m],
    ["doctor", /^missing +schedules: Schedules wait, as this machine does not know their time zones: "Europe\/Atlantis"\.\n +remedy: /m],
  ];
  for (const [command, said] of words) {
    const [here, there] = await bothWays(command.split(" "));
    expect(here.out).toMatch(said);
    expect({ code: there.code, out: there.out }).toEqual({ code: here.code, out: here.out });
  }
  await served.run("schedule", "remove", "moved");
});

test("doctor counts the texts whose words another major of PostgreSQL made, which the server makes anew, here and on a server", async () => {
  const store = await openStore({ url: served.env.DATABASE_URL, process: "test", holder: "a test" });
  const index = { folded: "deploys go out on tuesdays", names: "", language: "english" };
  const memory = { key: "deploys", content: "Deploys go out on Tuesdays", category: "core", trust: "person", sources: [] } as const;
  await store.memories.save({ tenant: "default", owner: "user:ann" }, { ...memory, by: { kind: "user", id: "ann" }, savedAt: 0, index });
  await sql`update toolwright.memories set words_major = 1 where key = 'deploys'`.execute(store.database.owner);
  const [here, there] = await bothWays(["doctor"]);
  await store.memories.forget({ tenant: "default", owner: "user:ann" }, "deploys");
  await store.close();
  expect(here.out).toMatch(
    /^missing +words: The words of 1 of \d+ passages of documents and memories were made by another major of PostgreSQL/m,
  );
  expect({ code: there.code, out: there.out }).toEqual({ code: here.code, out: here.out });
});

describe("what goes wrong ends with the same code, in the same words", () => {
  test.each([
    { name: "a missing approval", argv: ["approvals", "show", "apr_missing"], code: exitCodes.usage },
    { name: "a missing run", argv: ["runs", "show", "call_missing"], code: exitCodes.usage },
    { name: "a missing agent", argv: ["agents", "show", "codr"], code: exitCodes.usage },
    { name: "a missing skill", argv: ["skills", "show", "note"], code: exitCodes.usage },
    { name: "a tool with a typo to enable", argv: ["tools", "enable", "exc"], code: exitCodes.usage },
    { name: "a tool of the tenant that there is not", argv: ["tools", "remove", "quote"], code: exitCodes.usage },
    { name: "an override of nothing", argv: ["tools", "override", "exc", "--title", "Run"], code: exitCodes.usage },
    { name: "a missing session", argv: ["log", "show", "nowhere"], code: exitCodes.usage },
    { name: "a missing session to verify", argv: ["log", "verify", "--session", "nowhere"], code: exitCodes.usage },
    { name: "a missing job", argv: ["jobs", "show", "job_missing"], code: exitCodes.usage },
    { name: "a missing key", argv: ["keys", "revoke", "nope"], code: exitCodes.usage },
    { name: "a missing secret", argv: ["secrets", "remove", "NOPE"], code: exitCodes.usage },
    { name: "a missing schedule", argv: ["schedule", "pause", "nope"], code: exitCodes.usage },
    { name: "a tenant that there is", argv: ["tenants", "create", "default"], code: exitCodes.usage },
    { name: "a member that there is not", argv: ["users", "set-role", "bob@example.org", "admin"], code: exitCodes.usage },
    { name: "a tool with a typo", argv: ["call", "file_lst"], code: exitCodes.usage },
    { name: "a tool with a typo to explain", argv: ["why", "file_lst"], code: exitCodes.usage },
    { name: "a tool with a typo for a schedule", argv: ["schedule", "add", "x", "file_lst", "--at", "+1h"], code: exitCodes.usage },
    { name: "an agent with a typo to explain", argv: ["why", "exec", "--agent", "codr"], code: exitCodes.usage },
    { name: "an agent with a typo to list for", argv: ["list", "--agent", "codr"], code: exitCodes.usage },
    { name: "a group with a typo", argv: ["list", "--group", "fss"], code: exitCodes.usage },
    { name: "a tool with a typo for a job", argv: ["jobs", "run", "file_lst"], code: exitCodes.usage },
    { name: "an input that does not fit", argv: ["jobs", "run", "file_read", "--input", '{"pth": "x"}'], code: exitCodes.usage },
    { name: "an agent with a typo", argv: ["keys", "create", "k", "--agent", "codr"], code: exitCodes.usage },
    { name: "a call that is refused", argv: ["call", "file_read", "--path", "/etc/shadow"], code: exitCodes.denied },
  ])("$name", async ({ argv, code }) => {
    const [here, there] = await bothWays(argv);
    expect({ code: here.code, out: here.out }, here.err).toEqual({ code, out: "" });
    expect({ code: there.code, out: there.out }, there.err).toEqual({ code, out: "" });
  });
});

test("who lacks a permission is refused with the code of a denial, and an unknown key as nobody", async () => {
  const key = await served.run("keys", "create", "reader");
  const as = (given: string, ...words: readonly string[]) =>
    runIn(served.root, [...words, "--server", served.url], { env: { ...served.env, TOOLWRIGHT_KEY: given } });
  for (const words of [["runs", "list"], ["secrets", "list"], ["keys", "revoke", "x"], ["doctor"], ["agents", "list"]])
    expect(await as(key, ...words)).toMatchObject({ code: exitCodes.denied, out: "", err: expect.stringContaining("may not use") });
  expect((await as(key, "list")).code).toBe(exitCodes.done);
  expect(await as("tw_nobody", "list")).toMatchObject({ code: exitCodes.failed, out: "", err: expect.stringContaining("TOOLWRIGHT_KEY") });
});

test("whoami says whose key is in force, and what it may", async () => {
  const key = await served.run("keys", "create", "looker", "--permission", "log:read");
  const as = (...words: readonly string[]) =>
    runIn(served.root, ["whoami", ...words, "--server", served.url], { env: { ...served.env, TOOLWRIGHT_KEY: key } });
  expect(await as()).toMatchObject({ code: exitCodes.done, out: expect.stringMatching(/^service \S+ of default\nmay: log:read\n$/) });
  expect(JSON.parse((await as("--json")).out)).toMatchObject({ tenant: "default", permissions: ["log:read"] });
});

test("the log of a session reads, stands and verifies the same", async () => {
  const listed = (await served.run("log", "sessions", "--json")).split("\n").map((line) => JSON.parse(line) as { session: string });
  const session = listed[0]?.session ?? "none";
  // What is read here adds no event: only changes and calls do.
  for (const words of [
    ["show", session],
    ["show", session, "--json", "--after", "3"],
    ["verify", "--session", session],
    ["sessions", "--json"],
  ]) {
    const [here, there] = await bothWays(["log", ...words]);
    expect({ code: there.code, out: there.out }, there.err).toEqual({ code: exitCodes.done, out: here.out });
    expect(here.out).not.toBe("");
  }
});

test("a file is linted and simulated as the policy of the tenant", async () => {
  await writeFile(join(served.root, "draft.yaml"), "tools:\n  deny: [file_list, nothing_here]\n");
  const at = (...words: readonly string[]) => runIn(served.root, ["policy", ...words, "--server", served.url], { env: served.env });
  const linted = await at("lint", "draft.yaml");
  expect(linted).toMatchObject({
    code: exitCodes.failed,
    out: expect.stringMatching(/^draft\.yaml: warning: tools\.deny\[1\]: .*nothing_here/),
  });
  const simulated = (await at("simulate", "--policy", "draft.yaml", "--json")).out
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as object);
  expect(simulated).toContainEqual(
    expect.objectContaining({
      tool: "file_list",
      before: expect.objectContaining({ effect: "allow" }),
      after: expect.objectContaining({ effect: "deny" }),
    }),
  );
  expect(simulated.at(-1)).toMatchObject({ flips: 1, changes: { "allow to deny": 1 } });
});

describe("a call on a server", () => {
  const call = (...argv: readonly string[]) =>
    runIn(served.root, ["call", "--server", served.url, ...argv], { env: served.env, readStdin: async () => "" });

  test("prints its result, and ends as it did", async () => {
    expect(await call("file_write", "--path", "a.txt", "--content", "hello")).toMatchObject({ code: exitCodes.done });
    expect(JSON.parse((await call("--json", "file_read", "--path", "a.txt")).out)).toMatchObject({
      status: "done",
      output: { text: "hello" },
    });
    expect(await call("file_read", "--path", "gone.txt")).toMatchObject({
      code: exitCodes.failed,
      err: expect.stringContaining("file_not_found"),
    });
  });

  test("that asks waits with the code of waiting, and runs there once it is approved", async () => {
    await call("file_write", "--path", "b.txt", "--content", "bye");
    const asked = await call("file_delete", "--path", "b.txt");
    expect(asked).toMatchObject({ code: exitCodes.pending, out: "" });
    const id = /apr_[A-Za-z0-9_-]{22}/.exec(asked.err)?.[0] ?? "";
    expect(asked.err).toContain(`approvals run ${id} --server ${served.url}`);
    const ran = await runIn(served.root, ["approvals", "approve", id, "--run", "--server", served.url, "--json"], { env: served.env });
    expect(ran.code, ran.err).toBe(exitCodes.done);
    expect(JSON.parse(ran.out)).toMatchObject({ status: "done" });
    expect((await call("file_read", "--path", "b.txt")).code).toBe(exitCodes.failed);
  });

  test("tells of its output while it runs, also once it is approved", async () => {
    const asked = await call("exec", "--command", "echo from-there");
    const id = /apr_[A-Za-z0-9_-]{22}/.exec(asked.err)?.[0] ?? "";
    const words = ["approvals", "approve", id, "--run", "--server", served.url];
    const ran = await runIn(served.root, words, { env: served.env, outIsTerminal: true, errIsTerminal: true });
    expect(ran).toMatchObject({ code: exitCodes.done, err: expect.stringContaining("from-there\n") });
  });

  test("is not made at an address that a tool's own field may name", async () => {
    const typed = await runIn(served.root, ["call", "file_list", "--server", served.url], { env: served.env });
    expect(typed).toMatchObject({ code: exitCodes.usage, err: expect.stringContaining("before the tool's name") });
  });
});

test("what is changed there is changed, in the words of here, and the log says who did it", async () => {
  const there = async (...words: readonly string[]) => {
    const ran = await runIn(served.root, [...words, "--server", served.url], { env: served.env, readStdin: async () => "hunter2-hunter2" });
    expect(ran.code, ran.err).toBe(exitCodes.done);
    return ran;
  };
  expect((await there("secrets", "set", "TOKEN", "--host", "api.example.org")).err).toContain(
    "Set the secret TOKEN. Calls that name it send it to",
  );
  expect((await there("secrets", "set", "TOKEN")).err).toContain("as before");
  expect(JSON.parse((await there("tools", "override", "exec", "--title", "Run it", "--timeout-ms", "1000", "--json")).out)).toMatchObject({
    ...{ tool: "exec", title: "Run it", limits: { timeoutMs: 1000 } },
  });
  const narrowed = JSON.parse((await there("tools", "override", "exec", "--title", "", "--json")).out) as object;
  expect(narrowed).toEqual({ tool: "exec", visibility: {}, limits: { timeoutMs: 1000 } });
  expect((await there("tools", "disable", "exec", "--agent", "coder")).out).toContain("exec: hidden (agent enablement)");
  expect((await there("agents", "delete", "coder", "--yes")).out).toContain("Deleted the agent coder");
  expect((await there("keys", "create", "k")).out).toMatch(/^tw_/);
  let log = "";
  const outBytes = async (bytes: Uint8Array) => {
    log += Buffer.from(bytes).toString();
  };
  await runIn(served.root, ["log", "export"], { env: served.env, outBytes });
  expect(log).toContain('"operation":"agents.remove"');
  expect(log).toContain('"value":"[secret]"');
  expect(log).not.toContain("hunter2");
});

test("a server that is not there, and an address that is none, are told from what a server refuses", async () => {
  const at = (server: string) => runIn(served.root, ["keys", "list", "--server", server], { env: served.env });
  expect((await at("http://127.0.0.1:1")).code).toBe(exitCodes.unavailable);
  expect((await at("http://tools.example.org")).code).toBe(exitCodes.usage);
});

test("the log of a server is followed until a signal", { timeout: 60_000 }, async () => {
  const stop = new AbortController();
  const heard: string[] = [];
  const following = runIn(served.root, ["log", "follow", "--json", "--server", served.url], {
    ...{ env: served.env, signal: stop.signal },
    out: (line) => {
      heard.push(line);
      stop.abort();
    },
  });
  // It begins with what is written once the server listens for it, so something is written until it has said something.
  while (!stop.signal.aborted) await runIn(served.root, ["call", "file_list", "--path", "."], { env: served.env });
  expect((await following).code).toBe(exitCodes.done);
  expect(JSON.parse(heard[0] ?? "")).toMatchObject({ sequence: expect.any(Number), event: { tenant: "default" } });
});
