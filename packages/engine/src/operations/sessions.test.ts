import { describe, expect, it } from "vitest";
import { z } from "zod";
import { MANAGE_SESSIONS } from "../contract/permissions.ts";
import type { Principal } from "../contract/principal.ts";
import { createEngine } from "../engine.ts";
import { declareSessionKind, type SessionStore } from "../ports/session-store.ts";
import { defineTool } from "../tool/define-tool.ts";

const person = (id: string, tenant = "acme"): Principal => ({ tenant, actor: { kind: "user", id }, permissions: [], door: "rest" });
const agent = (id: string): Principal => ({ tenant: "acme", actor: { kind: "agent", id }, permissions: [], door: "agent" });
const [ann, bob] = [person("ann"), person("bob")];

const echo = defineTool({
  name: "echo",
  description: "Repeats a text.",
  input: z.object({ text: z.string() }),
  output: z.object({ text: z.string() }),
  run: (input) => input,
});

const engine = (options: { readonly sessions?: SessionStore } = {}) => createEngine({ tools: [echo], ...options });
const refused = (id: string) => ({
  status: "failed",
  error: {
    code: "session_not_found",
    message: `There is no session "${id}" for this principal. Use a session of your own, or leave the session out to get a new one.`,
  },
});

describe("a session that was made for a person", () => {
  it("takes the calls of its owner and of sub-agents that act for the owner, and puts down when", async () => {
    const { scope, operate } = engine();
    const made = await operate(ann, "sessions.create", { kind: "chat", title: "Offers", agent: "helper" });
    const own = scope(ann, { session: made.id });
    expect(await own.invoke("echo", { text: "a" })).toMatchObject({ status: "done" });
    expect(await own.child({ agent: "writer" }).invoke("echo", { text: "a" })).toMatchObject({ status: "done" });
    expect(await scope(agent("helper"), { session: made.id }).invoke("echo", { text: "a" })).toMatchObject({ status: "done" });
    const writer = { ...agent("writer"), onBehalfOf: "ann" };
    expect(await scope(writer, { session: made.id }).invoke("echo", { text: "a" })).toMatchObject({ status: "done" });
    const found = await operate(ann, "sessions.get", { id: made.id });
    expect(found).toMatchObject({ owner: "ann", agent: "helper", kind: "chat", title: "Offers", status: "open" });
    expect(found.usedAt).toBeGreaterThanOrEqual(found.createdAt);
  });

  it("is one of a thousand a day: more are refused with what to do, and others make theirs (R-SH-2)", async () => {
    const { operate } = engine();
    for (let made = 0; made < 1_000; made++) await operate({ ...ann, key: `k${made}` }, "sessions.create", {});
    await expect(operate(ann, "sessions.create", {})).rejects.toMatchObject({
      code: "limit_reached",
      message:
        "You have 1,000 new sessions a day, as many as one person may have. Go on in one that is there, or try again later. toolwright usage limits and the page /usage show your limits.",
      details: { rule: "sessionsOfADay", limit: 1_000, retryAfterMs: expect.any(Number) },
    });
    expect(await operate(bob, "sessions.create", {})).toMatchObject({ owner: "bob" });
  });

  it("is one of those a day, too, where calls open it by name: only a new name counts, and the person's other work goes on (R-SH-2)", async () => {
    const { operate, openSession } = engine();
    for (let made = 0; made < 999; made++) await openSession({ ...ann, key: `k${made}` }, `chat-${made}`);
    await Promise.all([openSession(ann, "last"), openSession(ann, "chat-0")]);
    const refusal = { code: "limit_reached", details: { rule: "sessionsOfADay", limit: 1_000, retryAfterMs: expect.any(Number) } };
    await expect(openSession(ann, "one-more")).rejects.toMatchObject(refusal);
    await expect(openSession({ ...agent("writer"), onBehalfOf: "ann" }, "one-more")).rejects.toMatchObject(refusal);
    await expect(operate(ann, "sessions.create", {})).rejects.toMatchObject(refusal);
    const id = await openSession(ann, "chat-0");
    expect(await operate(ann, "sessions.update", { id, title: "Offers" })).toMatchObject({ title: "Offers" });
    expect(await openSession(bob, "one-more")).toMatch(/^ses_/);
  });

  it("counts once where many calls open its name at once (R-SH-2)", async () => {
    const { openSession } = engine();
    for (let made = 0; made < 998; made++) await openSession(ann, `chat-${made}`);
    const opened = await Promise.allSettled(Array.from({ length: 2 }, () => openSession(ann, "new")));
    expect(new Set(opened.map((each) => each.status === "fulfilled" && each.value)).size).toBe(1);
    expect(await openSession(ann, "last")).toMatch(/^ses_/);
    await expect(openSession(ann, "one-more")).rejects.toMatchObject({ code: "limit_reached" });
  });

  it.each([
    ["another person", bob],
    ["an agent that it was not made for", agent("writer")],
    ["its agent on behalf of another person", { ...agent("helper"), onBehalfOf: "bob" }],
    ["who may manage sessions and is not its owner", { ...bob, permissions: [MANAGE_SESSIONS] }],
  ])("refuses the calls of %s, and its log does not hear of them", async (_, stranger) => {
    const heard: string[] = [];
    const { scope, operate } = createEngine({
      tools: [echo],
      onEvent: ({ type, actor }) => !type.startsWith("admin.") && heard.push(actor.id),
    });
    const { id } = await operate(ann, "sessions.create", { kind: "chat", agent: "helper" });
    expect(await scope(stranger, { session: id }).invoke("echo", { text: "a" })).toMatchObject(refused(id));
    expect(heard).toEqual([]);
  });

  it("is no other tenant's to see or to change, in the words for one that there is not", async () => {
    const { operate } = engine();
    const { id } = await operate(ann, "sessions.create", { kind: "chat", title: "Offers" });
    const stranger = { ...person("ann", "other"), permissions: [MANAGE_SESSIONS] };
    const { code, message } = refused(id).error;
    await expect(operate(stranger, "sessions.get", { id })).rejects.toMatchObject({ code, message });
    await expect(operate(stranger, "sessions.update", { id, title: "Mine" })).rejects.toMatchObject({ code, message });
    await expect(operate(bob, "sessions.get", { id })).rejects.toMatchObject({ code, message });
    await expect(operate(bob, "sessions.get", { id: "ses_none" })).rejects.toMatchObject({ code });
    expect(await operate(ann, "sessions.get", { id })).toMatchObject({ title: "Offers" });
  });

  it("is listed for its owner and for who manages sessions", async () => {
    const { operate } = engine();
    await operate(ann, "sessions.create", { kind: "chat" });
    await operate(bob, "sessions.create", { kind: "form" });
    const kindsOf = async (principal: Principal, filter = {}) =>
      (await operate(principal, "sessions.list", filter)).items.map(({ kind }) => kind).sort();
    expect(await kindsOf(ann)).toEqual(["calls", "chat"]);
    expect(await kindsOf(ann, { owner: "bob" })).toEqual([]);
    expect(await kindsOf(agent("helper"))).toEqual([]);
    expect(await kindsOf({ ...bob, permissions: [MANAGE_SESSIONS] })).toEqual(["calls", "calls", "chat", "form"]);
    expect(await kindsOf({ ...bob, permissions: [MANAGE_SESSIONS] }, { owner: "ann", kind: "chat" })).toEqual(["chat"]);
  });
});

describe("a session that calls made", () => {
  it("belongs to its first caller, and refuses everybody else", async () => {
    const { scope, operate } = engine();
    const id = "made-by-a-program";
    expect(await scope(ann, { session: id }).invoke("echo", { text: "a" })).toMatchObject({ status: "done" });
    for (const stranger of [bob, agent("helper"), { ...bob, permissions: [MANAGE_SESSIONS] }])
      expect(await scope(stranger, { session: id }).invoke("echo", { text: "a" })).toMatchObject(refused(id));
    expect(await operate(ann, "sessions.get", { id })).toMatchObject({ kind: "calls", owner: "ann" });
    await expect(operate(bob, "sessions.get", { id })).rejects.toMatchObject(refused(id).error);
  });

  it.each([
    ["a key that belongs to no person", { ...ann, actor: { kind: "service", id: "key:1" } } as Principal, "service:key:1"],
    ["an agent that acts for nobody", agent("helper"), "agent:helper"],
    ["a person whose id looks like a program's", person("service:key:1"), "user:service:key:1"],
  ])("belongs to %s", async (_, principal, owner) => {
    const { scope, operate } = engine();
    await scope(principal, { session: "own" }).invoke("echo", { text: "a" });
    expect(await scope(principal, { session: "own" }).child({ agent: "writer" }).invoke("echo", { text: "a" })).toMatchObject({
      status: "done",
    });
    expect(await operate(principal, "sessions.get", { id: "own" })).toMatchObject({ owner });
  });
});

describe("a name that a caller gives", () => {
  it("is one session of its caller, whose id nobody can compute", async () => {
    const { scope, operate, openSession } = engine();
    const [anns, bobs] = [await openSession(ann, "chat-1"), await openSession(bob, "chat-1")];
    expect(anns).toMatch(/^ses_[\w-]{22}$/);
    expect(bobs).not.toBe(anns);
    expect(await openSession(ann, "chat-1")).toBe(anns);
    expect(await scope(ann, { session: anns }).invoke("echo", { text: "a" })).toMatchObject({ status: "done" });
    expect(await scope(bob, { session: anns }).invoke("echo", { text: "a" })).toMatchObject(refused(anns));
    expect(await operate(ann, "sessions.get", { id: "chat-1" })).toMatchObject({ id: anns, name: "chat-1", owner: "ann" });
    expect(await operate(bob, "sessions.get", { id: "chat-1" })).toMatchObject({ id: bobs });
  });

  it("is its caller's also where a session of another has it as its id", async () => {
    const { scope, openSession } = engine();
    await scope(ann, { session: "taken" }).invoke("echo", { text: "a" });
    for (const stranger of [bob, { ...bob, permissions: [MANAGE_SESSIONS] }, agent("helper")])
      expect(await openSession(stranger, "taken")).toMatch(/^ses_/);
    expect(await openSession(ann, "taken")).toBe("taken");
  });

  it("finds a session that was created with it, which is refused a second time", async () => {
    const { operate, openSession } = engine();
    const { id } = await operate(ann, "sessions.create", { name: "offers", title: "Offers" });
    expect(await openSession(ann, "offers")).toBe(id);
    await expect(operate(ann, "sessions.create", { name: "offers" })).rejects.toMatchObject({ code: "session_refused" });
    expect((await operate(bob, "sessions.create", { name: "offers" })).id).not.toBe(id);
  });

  it("is no id: one that begins as ids do opens nothing that there is not", async () => {
    const { openSession } = engine();
    const anns = await openSession(ann, "chat-1");
    expect(await openSession(ann, anns)).toBe(anns);
    for (const id of ["ses_none", anns]) await expect(openSession(bob, id)).rejects.toMatchObject(refused(id).error);
    for (const name of ["", "n".repeat(201), "a\u0000b", "\ud800"])
      await expect(openSession(ann, name)).rejects.toMatchObject({ code: "session_refused" });
  });
});

describe("a shared session", () => {
  const open = async () => {
    const made = engine();
    const id = await made.openSession(ann, "offers");
    const call = (principal: Principal) => made.scope(principal, { session: id }).invoke("echo", { text: "a" });
    return { ...made, id, call };
  };

  it("takes the calls of whom it is shared with, until the share is taken back", async () => {
    const { operate, openSession, id, call } = await open();
    expect((await operate(ann, "sessions.share", { id: "offers", with: "bob" })).sharedWith).toEqual(["bob"]);
    expect(await call(bob)).toMatchObject({ status: "done" });
    expect(await call({ ...agent("writer"), onBehalfOf: "bob" })).toMatchObject({ status: "done" });
    expect(await openSession(bob, id)).toBe(id);
    expect((await operate(bob, "sessions.list", {})).items.map((each) => each.id)).toEqual([id]);
    expect(await call(person("cem"))).toMatchObject(refused(id));
    await operate(ann, "sessions.unshare", { id, with: "bob" });
    expect(await call(bob)).toMatchObject(refused(id));
    expect((await operate(bob, "sessions.list", {})).items).toEqual([]);
  });

  it("takes the calls of everybody of the tenant, and of no other tenant", async () => {
    const { operate, id, call } = await open();
    await operate(ann, "sessions.share", { id, tenant: true });
    for (const each of [bob, agent("helper")]) expect(await call(each)).toMatchObject({ status: "done" });
    await expect(operate(person("bob", "other"), "sessions.get", { id })).rejects.toMatchObject({ code: "session_not_found" });
    await operate(ann, "sessions.unshare", { id, tenant: true });
    expect(await call(bob)).toMatchObject(refused(id));
  });

  it("takes calls when its owner archived it, from the same people as before", async () => {
    const { operate, id, call } = await open();
    await operate(ann, "sessions.share", { id, with: "bob" });
    await operate(ann, "sessions.update", { id, status: "archived" });
    for (const each of [ann, bob]) expect(await call(each)).toMatchObject({ status: "done" });
    expect(await call(person("cem"))).toMatchObject(refused(id));
    expect((await operate(bob, "sessions.list", { status: "open" })).items).toEqual([]);
    expect((await operate(bob, "sessions.list", { status: "archived" })).items).toMatchObject([{ id, status: "archived" }]);
  });

  it("is shared by its owner and by who manages sessions alone", async () => {
    const { operate, id } = await open();
    const share = (principal: Principal) => operate(principal, "sessions.share", { id, with: "cem" });
    await expect(share(bob)).rejects.toMatchObject({ code: "session_not_found" });
    await expect(share({ ...agent("writer"), onBehalfOf: "ann" })).rejects.toMatchObject({ code: "operation_not_allowed" });
    await operate(ann, "sessions.share", { id, with: "bob" });
    await expect(share(bob)).rejects.toMatchObject({ code: "operation_not_allowed" });
    expect((await share({ ...person("dora"), permissions: [MANAGE_SESSIONS] })).sharedWith).toEqual(["bob", "cem"]);
    for (const wanted of [{}, { with: "bob", tenant: true as const }, { with: "*" }])
      await expect(operate(ann, "sessions.share", { id, ...wanted })).rejects.toMatchObject({ code: "invalid_input" });
  });
});

describe("what a session may be", () => {
  it.each([
    ["a kind that nobody declared", { kind: "survey" }, /no kind of sessions "survey".*declareSessionKind/],
    ["an empty title", { title: "" }, /title .* 1 to 200 characters/],
    ["a long name", { name: "s".repeat(201) }, /name .* 1 to 200 characters/],
  ])("refuses %s, and makes none", async (_, wanted, message) => {
    const { operate } = engine();
    await expect(operate(ann, "sessions.create", wanted)).rejects.toMatchObject({
      code: "session_refused",
      message: expect.stringMatching(message),
    });
    expect((await operate(ann, "sessions.list", { kind: "chat" })).items).toEqual([]);
  });

  it("grows by declaration", async () => {
    declareSessionKind("interview");
    expect(await engine().operate(ann, "sessions.create", { kind: "interview" })).toMatchObject({ kind: "interview" });
    expect(() => declareSessionKind("No name")).toThrow(/lower-case letter/);
  });
});

it("fails a call whose session cannot be looked up, and runs nothing", async () => {
  const away = { ensure: () => Promise.reject(new Error("away")) } as unknown as SessionStore;
  const result = await engine({ sessions: away }).scope(ann).invoke("echo", { text: "a" });
  expect(result).toMatchObject({ status: "failed", error: { code: "internal" } });
});
