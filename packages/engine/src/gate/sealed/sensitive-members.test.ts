import { createHash } from "node:crypto";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { canonicalJson } from "../../contract/json.ts";
import { ANSWER_APPROVALS } from "../../contract/permissions.ts";
import type { GivenPrincipal } from "../../contract/principal.ts";
import { createEngine } from "../../engine.ts";
import type { EngineOptions } from "../../engine-types.ts";
import { createMemoryApprovalStore } from "../../memory/approval-store.ts";
import { createMemoryArtifactStore } from "../../memory/artifact-store.ts";
import { createMemoryCallTree } from "../../memory/call-tree.ts";
import { createMemoryEventLog } from "../../memory/event-log.ts";
import { createMemoryIdempotencyStore } from "../../memory/idempotency-store.ts";
import { createMemoryTenantKeys } from "../../memory/seal-keys.ts";
import type { EventLog } from "../../ports/event-log.ts";
import { defineTool } from "../../tool/define-tool.ts";
import { fail } from "../../tool/result.ts";

const given = "hunter2-Vm9yZ2V0";
const made = "generated-8f3k2j";
const secret = () => z.string().min(1).max(200_000).meta({ sensitive: true });
const account = z.object({ user: z.string(), auth: z.object({ password: secret() }) });
const person: GivenPrincipal = { tenant: "acme", actor: { kind: "user", id: "ann" }, interactive: true, permissions: [ANSWER_APPROVALS] };

const received: unknown[] = [];
const signUp = defineTool({
  name: "sign_up",
  description: "Sign up.",
  input: account,
  output: z.object({ user: z.string(), echo: z.string(), token: secret() }),
  run: (input, { log, progress, output, note }) => {
    received.push(input);
    log("info", `with ${input.auth.password}`);
    progress(1, 2, `with ${input.auth.password}`);
    output.append(`with ${input.auth.password}`);
    note(`A note with ${input.auth.password}.`);
    return { user: input.user, echo: `you said ${input.auth.password}`, token: `${made} ${input.auth.password}` };
  },
});
const signUpAsked = defineTool({ ...signUp, name: "sign_up_asked", approval: "always_ask" });
const failing = defineTool({
  name: "failing",
  description: "Fail.",
  input: account,
  output: z.object({}),
  run: ({ auth }) => fail("refused", `no account with ${auth.password}`, { tried: auth.password }),
});
const throwing = defineTool({ ...failing, name: "throwing", run: ({ auth }) => Promise.reject(new Error(`boom ${auth.password}`)) });
const large = defineTool({
  name: "large",
  description: "Give much.",
  input: z.object({}),
  output: z.object({ text: z.string(), token: secret() }),
  run: () => ({ text: "x".repeat(300_000), token: `${made}${"y".repeat(100_000)}${made}` }),
});
const saving = defineTool({
  name: "saving",
  description: "Save.",
  input: account,
  output: z.object({}),
  async run({ auth }, { artifacts }) {
    await artifacts.save({ name: "note.txt", mediaType: "text/plain", content: `it is ${auth.password}` });
    return {};
  },
});
const outer = defineTool({
  name: "outer",
  description: "Call others.",
  input: account,
  output: z.object({ first: z.string(), second: z.string() }),
  effects: { tools: ["sign_up", "sign_up_asked"] },
  async run(input, { tools }) {
    const first = await tools.call("sign_up", input);
    const second = await tools.call("sign_up_asked", input);
    if (first.status !== "done" || second.status !== "done") return fail("part", "A part did not end.");
    return {
      first: String((first.output as { token: string }).token.length),
      second: String((second.output as { token: string }).token.length),
    };
  },
});
const tools = [signUp, signUpAsked, failing, throwing, large, saving, outer];

/** One store that several engines share, as processes do; `seen` gives all that it keeps and all that was said, as text. */
function makeStore() {
  const idempotency = createMemoryIdempotencyStore();
  const events = createMemoryEventLog({ keys: idempotency });
  const approvals = createMemoryApprovalStore();
  const callTree = createMemoryCallTree({ approvals });
  const artifacts = createMemoryArtifactStore();
  const tenantKeys = createMemoryTenantKeys();
  const kept: unknown[] = [];
  const spy = <Port extends object>(port: Port): Port =>
    new Proxy(port, {
      get(target, name) {
        const member: unknown = Reflect.get(target, name, target);
        if (typeof member !== "function") return member;
        return (...args: unknown[]) => {
          kept.push(structuredCloneable(args));
          return member.apply(target, args);
        };
      },
    });
  const said: unknown[] = [];
  const keys = spy(idempotency);
  const log: EventLog = { keys, read: (query) => events.read(query), append: spy(events).append };
  const spans: unknown[] = [];
  const options = (): EngineOptions => ({
    tools,
    policy: "full",
    events: log,
    idempotency: keys,
    approvals: spy(approvals),
    callTree: spy(callTree),
    artifacts,
    tenantKeys,
    logger: { log: (...words) => void said.push(words) },
    onApproval: (approval) => said.push(approval),
    onEvent: (event) => said.push(event),
    telemetry: {
      startCall: () => ({
        context: undefined,
        run: (inside) => inside(),
        link: () => undefined,
        end: ({ result, decision, readInput }) => void spans.push([result, decision, readInput()]),
      }),
    } as EngineOptions["telemetry"],
  });
  return {
    open: (more: Partial<EngineOptions> = {}) => createEngine({ ...options(), ...more }),
    approvals,
    artifacts,
    seen: () => JSON.stringify([kept, said, spans]),
    events: () => events.read({ tenant: "acme", session: "s" }),
  };
}

const structuredCloneable = (value: unknown) => JSON.parse(JSON.stringify(value) ?? "null") as unknown;

const hashes = (value: unknown) => [value, canonicalJson(value)].map((each) => createHash("sha256").update(String(each)).digest("hex"));

function expectNoTrace(text: string) {
  for (const trace of [given, made, ...hashes(given), ...[given, made].map((each) => Buffer.from(each).toString("base64").slice(0, -4))])
    expect(text.includes(trace), trace).toBe(false);
  const input = { user: "ann", auth: { password: given } };
  for (const trace of [...hashes(input), ...["sign_up", "sign_up_asked"].flatMap((tool) => hashes([tool, input]))])
    expect(text.includes(trace), "a digest that is found by trying").toBe(false);
}

const input = { user: "ann", auth: { password: given } };

describe("sensitive members of a call (R-SM-1)", () => {
  it("reach the tool and the caller, and nothing that is kept or said", async () => {
    const store = makeStore();
    const scope = store.open().scope(person, { session: "s" });
    const heard: unknown[] = [];
    const hear = {
      onOutput: (text: string) => heard.push(text),
      onProgress: (step: unknown) => heard.push(step),
      onLog: (...words: unknown[]) => heard.push(words),
    };
    const result = await scope.invokeNamed("sign_up", input, { ...hear, idempotencyKey: "k1" });
    expect(received.at(-1)).toEqual(input);
    expect(result).toMatchObject({ status: "done", output: { echo: "you said [redacted]", token: `${made} ${given}` } });
    expect(await scope.invokeNamed("sign_up", input, { idempotencyKey: "k1" })).toMatchObject({
      replayed: true,
      output: { token: `${made} ${given}` },
    });
    expect(await scope.invokeNamed("sign_up", { ...input, auth: { password: "another" } }, { idempotencyKey: "k1" })).toMatchObject({
      error: { code: "idempotency_mismatch" },
    });
    for (const name of ["failing", "throwing", "saving"]) {
      const ended = await scope.invokeNamed(name, input);
      if (ended.status === "failed") heard.push(ended);
    }
    const much = await scope.invokeNamed("large", {});
    expect(much).toMatchObject({
      status: "done",
      notes: expect.arrayContaining([expect.stringContaining("length of its sensitive members")]),
    });
    for (const { id } of await store.artifacts.list("acme", "s"))
      heard.push(Buffer.from((await store.artifacts.read("acme", id)).bytes).toString("latin1"));
    expectNoTrace(store.seen());
    expectNoTrace(JSON.stringify(heard));
    const events = JSON.stringify(await store.events());
    expect(events).toContain("[sensitive, 16 characters]");
    expect(events).toContain(`[sensitive, ${made.length + 1 + given.length} characters]`);
  });

  it.each([
    ["of the wrong type", { user: "ann", auth: { password: 31337_42 } }, "3133742"],
    ["in a text that is no JSON", { user: "ann", auth: `{"password":"${given}"` }, given],
    ["beside a member that nobody knows", { user: "ann", auth: { password: given, other: 1 } }, given],
    ["too short", { user: "ann", auth: { password: "" } }, undefined],
    ["as a whole", `{"auth":{"password":"${given}"`, given],
  ])("are in no message about an input that does not fit: %s", async (_, wrong, trace) => {
    const store = makeStore();
    const result = await store.open().scope(person, { session: "s" }).invokeNamed("sign_up", wrong);
    expect(result).toMatchObject({ status: "failed", error: { code: "invalid_input" } });
    if (trace) expect(JSON.stringify(result) + store.seen()).not.toContain(trace);
  });

  it("are sealed while a call waits, and it runs with them in another process", async () => {
    const store = makeStore();
    const asked = await store.open().scope(person, { session: "s" }).invokeNamed("sign_up_asked", input, { idempotencyKey: "k2" });
    if (asked.status !== "pending") throw new Error(JSON.stringify(asked));
    expect(asked.approval.summary).toContain("[sensitive, 16 characters]");
    const other = store.open().scope(person, { session: "s" });
    expect((await other.approval(asked.approval.id))?.record.input).toEqual({
      user: "ann",
      auth: { password: "[sensitive, 16 characters]" },
    });
    await other.answer(asked.approval.id, { kind: "approve" });
    expect(await other.resume(asked.approval.id)).toMatchObject({ status: "done", output: { token: `${made} ${given}` } });
    expect(received.at(-1)).toEqual(input);
    expectNoTrace(store.seen());
  });

  it("stay as they were where an approver edits the rest, and are replaced where one writes others", async () => {
    const store = makeStore();
    const scope = store.open().scope(person, { session: "s" });
    const ask = async () => {
      const asked = await scope.invokeNamed("sign_up_asked", input);
      if (asked.status !== "pending") throw new Error(JSON.stringify(asked));
      return asked.approval.id;
    };
    const kept = await ask();
    await scope.answer(kept, { kind: "edit", input: { user: "bob", auth: { password: "[sensitive, 16 characters]" } } });
    await scope.resume(kept);
    expect(received.at(-1)).toEqual({ user: "bob", auth: { password: given } });
    const replaced = await ask();
    await scope.answer(replaced, { kind: "edit", input: { user: "bob", auth: { password: "chosen-by-approver" } } });
    await scope.resume(replaced);
    expect(received.at(-1)).toEqual({ user: "bob", auth: { password: "chosen-by-approver" } });
    expectNoTrace(store.seen());
    expect(store.seen()).not.toContain("chosen-by-approver");
  });

  it("void an approval that this process cannot open", async () => {
    const store = makeStore();
    const asked = await store.open().scope(person, { session: "s" }).invokeNamed("sign_up_asked", input);
    if (asked.status !== "pending") throw new Error(JSON.stringify(asked));
    const stranger = store.open({ tenantKeys: createMemoryTenantKeys() }).scope(person, { session: "s" });
    await stranger.answer(asked.approval.id, { kind: "approve" });
    const before = received.length;
    expect(await stranger.resume(asked.approval.id)).toMatchObject({ status: "failed", error: { code: "approval_void" } });
    expect(received).toHaveLength(before);
  });

  it("are sealed in calls inside that wait, and what they gave comes back to the handler", async () => {
    const store = makeStore();
    const asked = await store.open().scope(person, { session: "s" }).invokeNamed("outer", input);
    if (asked.status !== "pending") throw new Error(JSON.stringify(asked));
    const other = store.open().scope(person, { session: "s" });
    await other.answer(asked.approval.id, { kind: "approve" });
    const runs = received.length;
    const length = String(made.length + 1 + given.length);
    expect(await other.resume(asked.approval.id)).toMatchObject({ status: "done", output: { first: length, second: length } });
    expect(received).toHaveLength(runs + 1);
    expectNoTrace(store.seen());
  });

  it("are named by nobody who explains a call that waits", async () => {
    const store = makeStore();
    const engine = store.open();
    const scope = engine.scope(person, { session: "s" });
    const asked = await scope.invokeNamed("sign_up_asked", input);
    if (asked.status !== "pending") throw new Error(JSON.stringify(asked));
    const { explanation } = await engine.operate(person, "approvals.why", { id: asked.approval.id });
    expect(explanation.text).toContain("It did not see /auth/password, which is sensitive.");
    expect(explanation.decision).toMatchObject({ effect: "ask" });
    const preview = await engine.operate(person, "approvals.preview", { id: asked.approval.id });
    const listed = await engine.operate(person, "approvals.list", {});
    expectNoTrace(JSON.stringify([explanation, preview, listed]));
    expect(JSON.stringify(listed)).not.toContain("sealed");
    await expect(
      engine.operate(person, "approvals.answer", { id: asked.approval.id, outcome: { kind: "approve", remember: { scope: "session" } } }),
    ).rejects.toMatchObject({ code: "grant_refused" });
  });

  it("include what a form shows as a password, and other names of a member", async () => {
    const store = makeStore();
    const form = defineTool({
      name: "form",
      description: "Take a pin.",
      input: z.object({ pin: z.string(), key: secret().optional() }),
      output: z.object({}),
      aliases: { token: "key" },
      presentation: { form: { version: 1, fields: { pin: { widget: "password" } } } },
      run: () => ({}),
    });
    const scope = store.open({ tools: [form] }).scope(person, { session: "s" });
    expect(await scope.invokeNamed("form", { pin: given, token: made })).toMatchObject({ status: "done" });
    expect(await scope.invokeNamed("form", { pin: given, token: [made] })).toMatchObject({ status: "failed" });
    expectNoTrace(store.seen());
    expect(JSON.stringify(await store.events())).toContain('"pin":"[sensitive, 16 characters]","key":"[sensitive, 16 characters]"');
  });
});
