import { describe, expect, it } from "vitest";
import { z } from "zod";
import type { StoredEvent } from "../contract/events.ts";
import { ANSWER_APPROVALS, MANAGE_IDENTITY, MANAGE_SECRETS, MANAGE_TENANTS, READ_LOG } from "../contract/permissions.ts";
import type { Principal } from "../contract/principal.ts";
import { createEngine } from "../engine.ts";
import { createMemoryCatalogueStore } from "../memory/catalogue-store.ts";
import { createMemoryEventLog } from "../memory/event-log.ts";
import { createMemoryIdentity } from "../memory/identity.ts";
import { createMemorySecretStore } from "../memory/secret-store.ts";
import { createMemorySessionReader } from "../memory/session-reader.ts";
import { createMemoryTenantStore } from "../memory/tenant-store.ts";
import { builtinRoles } from "../ports/roles.ts";
import { type AnyTool, defineTool } from "../tool/define-tool.ts";

const person = (permissions: readonly string[], more: Partial<Principal> = {}): Principal => ({
  ...{ tenant: "default", actor: { kind: "user", id: "ann" }, permissions, door: "rest" },
  ...more,
});
const owner = person((builtinRoles.get("owner") ?? []).filter((permission) => !permission.includes("*")));
const session = "s1";

const slow = defineTool({
  name: "slow",
  description: "Writes a text, and waits a turn.",
  input: z.object({ text: z.string() }),
  output: z.object({ text: z.string() }),
  async run(input, { output }) {
    output.append(input.text);
    await Promise.resolve();
    return input;
  },
});

function open(tools: readonly AnyTool[] = []) {
  const events = createMemoryEventLog();
  const tenants = createMemoryTenantStore();
  const secrets = createMemorySecretStore();
  const catalogue = createMemoryCatalogueStore();
  const engine = createEngine({
    ...{ tools, events, tenants, secrets },
    administration: {
      ...{ secrets, tenants, catalogue, log: createMemorySessionReader(events) },
      identity: createMemoryIdentity({ tenants }),
    },
  });
  return { ...engine, secrets, tenants, logged: async () => JSON.stringify(await events.read({ tenant: "default", session })) };
}

describe("a secret", () => {
  it("goes in, and is in no answer, no error and no event", async () => {
    const { operate, secrets, logged } = open();
    const set = await operate(
      person([MANAGE_SECRETS]),
      "secrets.set",
      { name: "token", value: "hunter2-hunter2", hosts: ["api.github.com"] },
      { session },
    );
    expect(set).toMatchObject({ name: "token", origins: ["https://api.github.com"] });
    expect(await secrets.get("default", "token")).toBe("hunter2-hunter2");
    const listed = await operate(person([MANAGE_SECRETS]), "secrets.list", {});
    const refused = operate(person([MANAGE_SECRETS]), "secrets.set", { name: "1", value: "hunter2-hunter2" }, { session });
    await expect(refused).rejects.toMatchObject({ code: "invalid_input", message: expect.not.stringContaining("hunter2") });
    expect(`${JSON.stringify([set, listed])}${await logged()}`).not.toContain("hunter2");
    expect(await logged()).toContain('"value":"[secret]"');
  });

  it.each([
    ["an agent", { actor: { kind: "agent", id: "helper" } }],
    ["a program with the permission", { actor: { kind: "service", id: "ci" } }],
    ["a person's credential that is a program's", { interactive: false }],
    ["a sub-agent", { delegated: { from: person([MANAGE_SECRETS]) } }],
  ] as const)("is not set by %s", async (_, more) => {
    const setting = open().operate(person([MANAGE_SECRETS], more), "secrets.set", { name: "token", value: "hunter2-hunter2" });
    await expect(setting).rejects.toMatchObject({ code: "operation_not_allowed" });
  });
});

describe("a refusal names the member of the input that it is about", () => {
  const secret = { name: "token", value: "hunter2-hunter2" };
  it.each([
    ["/permissions/1", "roles.set", { role: "auditor", permissions: [READ_LOG, "all of it"] }],
    ["/role", "roles.set", { role: "Auditor", permissions: [] }],
    ["/role", "roles.set", { role: "owner", permissions: [] }],
    ["/permissions", "keys.create", { name: "k", permissions: [ANSWER_APPROVALS] }],
    ["/name", "keys.create", { name: "two\nlines", permissions: [] }],
    ["/days", "keys.create", { name: "k", permissions: [], days: 4_000 }],
    ["/email", "users.invite", { email: "nobody", role: "viewer" }],
    ["/role", "users.invite", { email: "bob@example.org", role: "admin" }],
    ["/tenant", "tenants.create", { tenant: "default" }],
    ["/tenant", "tenants.create", { tenant: "A B" }],
    ["/name", "tenants.create", { tenant: "acme", name: " " }],
    ["/name", "secrets.set", { ...secret, name: "1" }],
    ["/value", "secrets.set", { ...secret, value: "short" }],
    ["/agent", "secrets.set", { ...secret, agent: "a b" }],
    ["/hosts/1", "secrets.set", { ...secret, hosts: ["a.example", "*.example"] }],
    ["/header", "secrets.set", { ...secret, hosts: ["a.example"], header: "a b" }],
  ] as const)("%s of %s %j", async (path, name, input) => {
    const { operate } = open();
    const by = person([MANAGE_IDENTITY, MANAGE_SECRETS, ...(name === "tenants.create" ? [MANAGE_TENANTS] : [])]);
    await expect(operate(by, name, input as never)).rejects.toMatchObject({ details: [{ path, message: expect.any(String) }] });
  });
});

describe("watching for changes", () => {
  const heardBy = async (watcher: Principal, count: number) => {
    const { operate, follow, tenants } = open();
    await tenants.ensure("acme");
    const abort = new AbortController();
    const heard: unknown[] = [];
    const items = await follow(watcher, "changes.watch", {}, { signal: abort.signal });
    const work = async () => {
      for (const tenant of ["default", "acme"])
        for (const id of ["ann", "ben"]) {
          const actor = { kind: "user", id } as const;
          await operate(person([], { tenant, actor }), "sessions.create", {});
        }
    };
    for await (const item of items) {
      heard.push(item);
      if (heard.length === 1) await work();
      if (heard.length === count) abort.abort();
    }
    return heard;
  };
  const made = [
    { type: "admin.started", operation: "sessions.create" },
    { type: "admin.completed", operation: "sessions.create" },
  ];
  /** Two people work in two sessions, whose events come in any order. */
  const ofBoth = expect.arrayContaining([{ type: "watch.ready" }, ...made].map((each) => expect.objectContaining(each)));

  it("begins when nothing is missed any more, and tells of everybody in the tenant who may read the log", async () => {
    expect(await heardBy(person([READ_LOG]), 5)).toEqual(ofBoth);
  });

  it("tells others of what they do themselves, and nobody of another tenant", async () => {
    expect(await heardBy(person([]), 3)).toMatchObject([{ type: "watch.ready" }, ...made]);
    expect(await heardBy(person([READ_LOG], { tenant: "acme" }), 5)).toEqual(ofBoth);
  });

  it("answers nobody once", async () => {
    await expect(open().operate(person([]), "changes.watch", {})).rejects.toMatchObject({ code: "operation_unavailable" });
  });
});

describe("watching events", () => {
  it("tells who may read the log of all sessions of the tenant, from when it was answered, and of no other", async () => {
    const { operate, follow, tenants } = open();
    await tenants.ensure("acme");
    const abort = new AbortController();
    const items = await follow(person([READ_LOG], { tenant: "acme" }), "events.watch", {}, { signal: abort.signal });
    for (const tenant of ["default", "acme"]) await operate(person([], { tenant }), "sessions.create", {});
    const heard: unknown[] = [];
    for await (const item of items) if (heard.push(item) === 2) abort.abort();
    const event = (type: string) => ({ event: { tenant: "acme", type } });
    expect(heard).toMatchObject([event("admin.started"), event("admin.completed")]);
  });

  it.each([
    ["of all sessions, who may not read the log", {}, "operation_not_allowed"],
    ["of a session of somebody else", { session: "elsewhere" }, "session_not_found"],
    ["after a number that no session is named for", { after: 3 }, "invalid_input"],
  ])("tells nothing %s", async (_, input, code) => {
    const { signal } = new AbortController();
    await expect(open().follow(person([]), "events.watch", input, { signal })).rejects.toMatchObject({ code });
  });

  it("answers nobody once", async () => {
    await expect(open().operate(person([READ_LOG]), "events.watch", {})).rejects.toMatchObject({ code: "operation_unavailable" });
  });
});

describe("nobody gives what they do not have", () => {
  const manager = person([MANAGE_IDENTITY]);

  it("in a key, a role or an invitation", async () => {
    const { operate } = open();
    const refused = { code: "identity_refused", message: expect.stringMatching(/^The permission \S+ is not yours/) };
    await expect(operate(manager, "keys.create", { name: "k", permissions: [ANSWER_APPROVALS] })).rejects.toMatchObject(refused);
    await expect(operate(manager, "roles.set", { role: "boss", permissions: [READ_LOG] })).rejects.toMatchObject(refused);
    await expect(operate(manager, "users.invite", { email: "bob@example.org", role: "owner" })).rejects.toMatchObject(refused);
    await expect(operate(manager, "users.invite", { email: "bob@example.org", role: "boss" })).rejects.toMatchObject(refused);
    await expect(operate(manager, "users.update", { who: "ann", role: "admin" })).rejects.toMatchObject(refused);
  });

  it("and who has all of it may", async () => {
    const { operate } = open();
    const { key, record } = await operate(owner, "keys.create", { name: "k", permissions: [READ_LOG] });
    expect(key).toMatch(/^tw_/);
    expect(record.user).toBeUndefined();
    expect((await operate(owner, "keys.list", {})).items).toEqual([record]);
    expect(await operate(owner, "users.invite", { email: "bob@example.org", role: "admin" })).toMatchObject({
      invitation: { role: "admin" },
    });
    await expect(operate(owner, "keys.create", { name: "k", permissions: [MANAGE_TENANTS] })).rejects.toMatchObject({
      code: "identity_refused",
    });
  });
});

describe("a key in the name of an agent", () => {
  it("is made for any name where a tenant has no agents, and else for one of these", async () => {
    const { operate } = open();
    const make = (agent: string) => operate(owner, "keys.create", { name: "k", agent });
    expect((await make("codr")).record).toMatchObject({ agent: "codr", permissions: [] });
    await operate(owner, "agents.create", { agent: "coder" });
    await expect(make("codr")).rejects.toMatchObject({
      code: "catalogue_not_found",
      message: expect.stringContaining('Did you mean "coder"?'),
    });
    expect((await make("coder")).record).toMatchObject({ agent: "coder" });
  });
});

describe("tenants", () => {
  it("are managed by whoever runs the server, and by nobody of a tenant", async () => {
    const { operate } = open();
    await expect(operate(owner, "tenants.list", {})).rejects.toMatchObject({ code: "operation_not_allowed" });
    const operator = person([MANAGE_TENANTS]);
    expect(await operate(operator, "tenants.create", { tenant: "acme" })).toMatchObject({ tenant: "acme", name: "acme" });
    expect(await operate(operator, "tenants.suspend", { tenant: "acme" })).toMatchObject({ suspendedAt: expect.any(Number) });
    expect((await operate(operator, "tenants.list", {})).items.map(({ tenant }) => tenant)).toEqual(["acme", "default"]);
  });
});

describe("what belongs to no tenant", () => {
  const email = "ann@example.org";
  it.each([
    { name: "accounts.sessions", port: "accounts", input: { email } },
    { name: "accounts.reset", port: "accounts", input: { email } },
    { name: "accounts.end", port: "accounts", input: { email } },
    { name: "store.describe", port: "store", input: {} },
    { name: "store.verify", port: "store", input: {} },
    { name: "store.tidy", port: "retention", input: {} },
    { name: "events.prune", port: "retention", input: { before: 1 } },
    { name: "secrets.rotate", port: "masterKeys", input: {} },
    { name: "secrets.check", port: "masterKeys", input: {} },
  ] as const)(
    "$name is for a person who runs the server, where there is a port, and for nobody of a tenant",
    async ({ name, port, input }) => {
      const { operateNamed } = open();
      const refused = { code: "operation_not_allowed" };
      await expect(operateNamed(owner, name, input)).rejects.toMatchObject(refused);
      await expect(operateNamed(person([MANAGE_TENANTS], { interactive: false }), name, input)).rejects.toMatchObject(refused);
      await expect(operateNamed(person([MANAGE_TENANTS]), name, input)).rejects.toMatchObject({
        code: "operation_unavailable",
        message: expect.stringContaining(`administration: { ${port} }`),
      });
    },
  );
});

describe("events", () => {
  it("are read by whose session it is, and by who may read the log", async () => {
    const { operate } = open();
    const { id } = await operate(person([]), "sessions.create", {}, { session });
    await operate(person([]), "sessions.update", { id, title: "Mine" }, { session: id });
    const typesFor = async (principal: Principal) =>
      (await operate(principal, "events.list", { session: id })).items.map(({ event }) => event.type);
    const both = ["admin.started", "admin.completed"];
    expect(await typesFor(person([]))).toEqual(both);
    expect(await typesFor(person([READ_LOG], { actor: { kind: "service", id: "audit" } }))).toEqual(both);
    await expect(typesFor(person([], { actor: { kind: "user", id: "bob" } }))).rejects.toMatchObject({ code: "session_not_found" });
    await expect(operate(person([], { actor: { kind: "user", id: "bob" } }), "events.list", { session })).rejects.toMatchObject({
      code: "session_not_found",
    });
  });

  it("of one call are read and followed by who made it, from its beginning to its ending", async () => {
    const { scope, operate, follow } = open([slow]);
    const caller = person([]);
    const shared = scope(caller, { session });
    await shared.invokeNamed("slow", { text: "before" });
    const begun = Promise.withResolvers<string>();
    const ending = shared.invokeNamed("slow", { text: "now" }, { onStart: begun.resolve });
    const call = await begun.promise;
    const types: string[] = [];
    const read = { session, call };
    for await (const item of await follow(caller, "events.list", read, { signal: new AbortController().signal }))
      types.push((item as StoredEvent).event.type);
    expect(types).toEqual(["tool.started", "tool.output_appended", "tool.completed"]);
    await ending;
    expect((await operate(caller, "events.list", read)).items.map(({ event }) => event.type)).toEqual(types);
    const bob = person([], { actor: { kind: "user", id: "bob" } });
    await expect(operate(bob, "events.list", read)).rejects.toMatchObject({ code: "session_not_found" });
    await expect(follow(bob, "events.list", read, { signal: AbortSignal.abort() })).rejects.toMatchObject({ code: "session_not_found" });
    expect((await operate(caller, "events.list", { session, call: "call_none" })).items).toEqual([]);
  });

  it("of a session that there is not are none for who may read the log, or are refused on demand", async () => {
    const { operate } = open();
    const reader = person([READ_LOG]);
    expect(await operate(reader, "events.list", { session: "none" })).toMatchObject({ items: [] });
    const refused = operate(reader, "events.list", { session: "none", mustExist: true });
    await expect(refused).rejects.toMatchObject({ code: "session_not_found" });
  });

  it("are followed as they are written, and nothing else can be", async () => {
    const { operate, follow, tenants } = open();
    await tenants.ensure("acme");
    const abort = new AbortController();
    const items = await follow(person([READ_LOG]), "events.list", { session, after: 0 }, { signal: abort.signal });
    await operate(person([]), "sessions.create", {}, { session });
    const heard: unknown[] = [];
    for await (const item of items) {
      heard.push(item);
      if (heard.length === 2) abort.abort();
    }
    expect(heard).toMatchObject([{ sequence: 1 }, { sequence: 2 }]);
    await expect(follow(person([]), "tools.list", {}, { signal: abort.signal })).rejects.toMatchObject({ code: "operation_unavailable" });
    const bob = person([], { actor: { kind: "user", id: "bob" } });
    await expect(follow(bob, "events.list", { session }, { signal: abort.signal })).rejects.toMatchObject({
      code: "session_not_found",
    });
  });
});

describe("what an engine is given for operations", () => {
  it.each([
    { name: "member", misspelled: "memorys", hint: "Did you mean memories?" },
    { name: "foreign member", misspelled: "thermometer", hint: /Use one of .*\brooms\b/ },
  ])("has a port for each $name", ({ misspelled, hint }) => {
    const make = () => createEngine({ administration: { ...{ [misspelled]: {} } } });
    expect(make).toThrow(`The engine is given ${misspelled} in administration, which is the port of no subject.`);
    expect(make).toThrow(hint);
  });
});
