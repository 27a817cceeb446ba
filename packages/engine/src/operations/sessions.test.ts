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

  it.each([
    ["another person", bob],
    ["an agent that it was not made for", agent("writer")],
    ["its agent on behalf of another person", { ...agent("helper"), onBehalfOf: "bob" }],
    ["who may manage sessions and is not its owner", { ...bob, permissions: [MANAGE_SESSIONS] }],
  ])("refuses the calls of %s, and its log does not hear of them", async (_, stranger) => {
    const heard: string[] = [];
    const { scope, operate } = createEngine({
      tools: [echo],
      onEvent: ({ session, actor }) => !session.startsWith("admin-") && heard.push(actor.id),
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
    expect(await kindsOf(ann)).toEqual(["chat"]);
    expect(await kindsOf(ann, { owner: "bob" })).toEqual([]);
    expect(await kindsOf(agent("helper"))).toEqual([]);
    expect(await kindsOf({ ...bob, permissions: [MANAGE_SESSIONS] })).toEqual(["calls", "chat", "form"]);
    expect(await kindsOf({ ...bob, permissions: [MANAGE_SESSIONS] }, { owner: "ann" })).toEqual(["chat"]);
  });
});

describe("a session that calls made", () => {
  it("belongs to nobody: whoever of the tenant names it may use it", async () => {
    const { scope, operate } = engine();
    for (const principal of [ann, bob, agent("helper")])
      expect(await scope(principal, { session: "cli-2026-01-31" }).invoke("echo", { text: "a" })).toMatchObject({ status: "done" });
    const found = await operate(ann, "sessions.get", { id: "cli-2026-01-31" });
    expect(found).toMatchObject({ kind: "calls" });
    expect(found.owner).toBeUndefined();
    await expect(operate(ann, "sessions.create", { id: "cli-2026-01-31" })).rejects.toMatchObject({ code: "session_refused" });
  });
});

describe("what a session may be", () => {
  it.each([
    ["a kind that nobody declared", { kind: "survey" }, /no kind of sessions "survey".*declareSessionKind/],
    ["an empty title", { title: "" }, /title .* 1 to 200 characters/],
    ["a long id", { id: "s".repeat(201) }, /id .* 1 to 200 characters/],
    ["half a character", { title: "\ud800" }, /title .* 1 to 200 characters/],
  ])("refuses %s, and makes none", async (_, wanted, message) => {
    const { operate } = engine();
    await expect(operate(ann, "sessions.create", wanted)).rejects.toMatchObject({
      code: "session_refused",
      message: expect.stringMatching(message),
    });
    expect((await operate(ann, "sessions.list", {})).items).toEqual([]);
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
