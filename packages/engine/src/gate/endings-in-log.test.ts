import { describe, expect, it, vi } from "vitest";
import type { CallResult } from "../contract/call.ts";
import { ToolwrightError } from "../contract/errors.ts";
import type { SessionEvent } from "../contract/events.ts";
import type { Posture } from "../contract/posture.ts";
import type { Source } from "../contract/principal.ts";
import { createEngine } from "../engine.ts";
import { defaultPolicy } from "../policy/document/policy-document.ts";
import type { CallSite } from "../ports/capability.ts";
import type { EventLog } from "../ports/event-log.ts";
import type { Exec } from "../ports/exec.ts";
import { principal, probe } from "../testing/probe-tool.ts";
import type { AnyTool } from "../tool/define-tool.ts";
import { fail } from "../tool/result.ts";
import type { InvokeOptions } from "./invoke-options.ts";

const sources = ["web", "agent", "api", "cli", "mcp", "schedule", undefined] as const satisfies readonly (Source | undefined)[];
const freely = [{ tier: "platform" as const, document: { ...defaultPolicy, autonomy: "full" as const } }];
const posture: Posture = { runtime: "host", isolation: "none", network: "host", limits: {}, gaps: [] };
/** Ends what a call may wait for: microtasks, and turns of the event loop. */
const settle = async () => {
  for (let turn = 0; turn < 20; turn += 1) await new Promise((resolve) => setImmediate(resolve));
};

const goesThrough: ReadonlySet<string> = new Set(["tool.started", "tool.approved", "tool.output_appended"]);

/** A log that keeps what ends a call to itself until it is let go. */
function openHeldLog() {
  const given: SessionEvent[] = [];
  const hurried: string[] = [];
  const gate = Promise.withResolvers<void>();
  const log: EventLog = {
    async append(events, options) {
      given.push(...events);
      if (!options?.mayWait) hurried.push(...events.map(({ type }) => type));
      if (events.some(({ type }) => !goesThrough.has(type) && !type.startsWith("admin."))) await gate.promise;
    },
    read: async () => [],
  };
  return { log, given, hurried, letGo: gate.resolve };
}

interface Case {
  readonly tool: AnyTool;
  readonly options?: InvokeOptions;
  readonly input?: unknown;
  readonly ends: string;
}

const changing = { effects: { destructive: true } };
const ok = () => ({ text: "" });
const saves = (_: never, { artifacts }: { artifacts: { save(file: object): Promise<unknown> } }) =>
  artifacts.save({ name: "a.txt", mediaType: "text/plain", content: "a" }).then(ok);

const held: Record<string, Case> = {
  "changes something": { tool: probe(ok, changing), ends: "tool.completed" },
  "changes something and fails": { tool: probe(() => fail("no", "No."), changing), ends: "tool.failed" },
  "changes something and throws": { tool: probe(() => Promise.reject(new Error("boom")), changing), ends: "tool.failed" },
  "is cancelled while it changes something": {
    tool: probe(ok, changing),
    options: { signal: AbortSignal.abort() },
    ends: "tool.cancelled",
  },
  "would change something and is not understood": { tool: probe(ok, changing), input: { a: "x" }, ends: "tool.failed" },
  "would change something and is denied": { tool: probe(ok, { ...changing, name: "denied" }), ends: "tool.denied" },
  "waits for a person": { tool: probe(ok, { approval: "always_ask" }), ends: "tool.needs_approval" },
  "has an idempotency key": { tool: probe(ok), options: { idempotencyKey: "k" }, ends: "tool.completed" },
  "kept an artifact": { tool: probe(saves as never), ends: "tool.completed" },
  "kept an artifact and failed": {
    tool: probe(((input: never, context: never) => saves(input, context).then(() => fail("no", "No."))) as never),
    ends: "tool.failed",
  },
  "ran a process, though it changes nothing": {
    tool: probe(
      (async (_: never, { exec }: { exec: Exec }) => {
        await exec.run({ command: "true" } as never);
        return ok();
      }) as never,
      { effects: { exec: "watch" } },
    ),
    ends: "tool.completed",
  },
};

const document = { ...defaultPolicy, autonomy: "full" as const, tools: { deny: ["denied"] } };
/** Reports a process, as the sandbox does. */
const execDouble = {
  name: "exec" as const,
  open: (_: unknown, site: CallSite) => ({ run: async () => site.reportPosture(posture) }),
};

function start({ tool, options = {}, input = {} }: Omit<Case, "ends">, log: EventLog, source?: Source): Promise<CallResult> {
  const engine = createEngine({
    tools: [tool],
    policy: [{ tier: "platform", document }],
    events: log,
    capabilities: [execDouble as never],
  });
  return engine.scope({ ...principal, ...(source && { source }) }, { session: "s1" }).invokeNamed(tool.name, input, options);
}

describe("an answer that a client has is in the log", () => {
  it.each(Object.entries(held).flatMap(([name, one]) => sources.map((source) => ({ name, one, source }))))(
    "of a call that $name, by $source",
    async ({ one, source }) => {
      const { log, given, hurried, letGo } = openHeldLog();
      const answered = vi.fn();
      const call = start(one, log, source).then(answered);
      await settle();
      expect(given.at(-1)?.type).toBe(one.ends);
      expect(answered).not.toHaveBeenCalled();
      expect(hurried).toContain(one.ends);
      letGo();
      await call;
      expect(answered).toHaveBeenCalledOnce();
    },
  );

  it.each(sources)("of a call that only read, by %s, follows: nobody waits, and the log may gather it with others", async (source) => {
    const { log, given, hurried } = openHeldLog();
    expect(await start({ tool: probe(ok) }, log, source)).toMatchObject({ status: "done" });
    expect(given.map(({ type }) => type)).toEqual(["tool.started", "tool.completed"]);
    expect(hurried).toEqual([]);
  });

  it("of an approved call, although its tool only reads", async () => {
    const held = openHeldLog();
    const engine = createEngine({ tools: [probe(ok, { approval: "always_ask" })], policy: freely, events: held.log });
    const scope = engine.scope({ ...principal, interactive: true }, { session: "s1" });
    const asked = scope.invokeNamed("probe", {});
    await settle();
    const [open] = await scope.approvals();
    await scope.answer(open?.record.id ?? "", { kind: "approve" });
    const answered = vi.fn();
    const call = scope.resume(open?.record.id ?? "").then(answered);
    await settle();
    expect(held.given.at(-1)?.type).toBe("tool.completed");
    expect(answered).not.toHaveBeenCalled();
    held.letGo();
    await Promise.all([asked, call]);
    expect(answered).toHaveBeenCalledWith(expect.objectContaining({ status: "done" }));
  });

  it("of a duplicate that is told that its call waits, too", async () => {
    const held = openHeldLog();
    const engine = createEngine({ tools: [probe(ok, { approval: "always_ask" })], policy: freely, events: held.log });
    const scope = engine.scope(principal, { session: "s1" });
    const told = vi.fn();
    const both = [1, 2].map(() => scope.invokeNamed("probe", {}, { idempotencyKey: "k" }).then(told));
    await settle();
    expect(held.given.filter(({ type }) => type === "tool.needs_approval")).toHaveLength(1);
    expect(told).not.toHaveBeenCalled();
    held.letGo();
    await Promise.race(both);
    expect(told).toHaveBeenCalledWith(expect.objectContaining({ status: "pending" }));
  });
});

describe("an ending that the log does not take", () => {
  const refusing = (error: Error): EventLog => ({
    append: async (events) => {
      if (events.some(({ type }) => type === "tool.completed")) throw error;
    },
    read: async () => [],
  });

  it("because the call was ended in the place of its process: its caller is told that ending", async () => {
    const lost = new ToolwrightError("call_lost", "The call ended as unknown because this process sent no heartbeat.");
    const result = await start({ tool: probe(ok, changing) }, refusing(lost));
    expect(result).toMatchObject({ status: "unknown", tool: "probe", error: { code: "call_lost" } });
    expect(result).not.toHaveProperty("output");
  });

  it("because the store is away: the answer says that the log may not show it", async () => {
    const result = await start({ tool: probe(ok, changing) }, refusing(new Error("away")));
    const note = expect.stringContaining("log");
    expect(result).toMatchObject({ status: "done", anomalies: [{ kind: "not_recorded", message: note }] });
    expect(result).toMatchObject({ notes: [note] });
  });
});
