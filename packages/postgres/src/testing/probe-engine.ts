import { type CallResult, createEngine, defaultPolicy, defineTool, type InvokeOptions, type Logger } from "@toolwright/engine";
import { type Clock, isCallEvent } from "@toolwright/engine/ports";
import { z } from "zod";
import { createPostgresApprovalStore } from "../approvals/postgres-approval-store.ts";
import type { Database } from "../database/database.ts";
import { createPostgresEventLog } from "../events/postgres-event-log.ts";
import { verifyLog } from "../events/verify-log.ts";
import { createPostgresIdempotencyStore } from "../idempotency/postgres-idempotency-store.ts";
import { createProcessRegistry, type ProcessRegistry } from "../recovery/process-registry.ts";
import { retryEndings } from "../recovery/retry-endings.ts";

/** An engine on a store, with a tool that says which of its calls had their effect. */
export interface ProbeEngine {
  readonly registry: ProcessRegistry;
  /** Marks of the calls whose effect happened, in order. */
  readonly effects: readonly string[];
  /** Calls of which an event could not be written. */
  readonly unwritten: readonly unknown[];
  /** Calls `change`, which has its effect and then waits for `release` when `waits` is set; or `ask`, which needs an approval. */
  change(mark: string, options?: InvokeOptions & { readonly waits?: boolean; readonly tool?: "ask" }): Promise<CallResult>;
  /** Lets calls that wait return. */
  release(): void;
  /** Calls of this engine's tenant that the log still waits for. */
  inFlight(): Promise<readonly string[]>;
  /** What breaks the law that nothing happens without the log, and every chain that is not whole. */
  findFaults(): Promise<readonly string[]>;
  close(): Promise<void>;
}

export interface ProbeOptions {
  readonly process?: string;
  /** Clock of its machine. */
  readonly clock?: Clock;
  /** Milliseconds after which its log does not try again to write. */
  readonly patienceMs?: number;
}

const tenant = "default";
const policy = [{ tier: "platform" as const, document: { ...defaultPolicy, autonomy: "full" as const } }];
const ann = { tenant, actor: { kind: "user", id: "ann" }, permissions: [], door: "cli" } as const;

export async function openProbeEngine(database: Database, options: ProbeOptions = {}): Promise<ProbeEngine> {
  const { process = "p1" } = options;
  const events = retryEndings(createPostgresEventLog(database, process, { patienceMs: options.patienceMs }), database, process);
  const registry = await createProcessRegistry(database, {
    process,
    role: "serve",
    host: "here",
    beatMs: 100,
    retryEndings: events.retry,
    ...options,
  });
  const idempotency = createPostgresIdempotencyStore(database, { process });
  const approvals = createPostgresApprovalStore(database, { process });
  const { effects, calls, release, tools } = createProbeTools();
  const unwritten: unknown[] = [];
  const logger: Logger = { log: (_level, _message, details) => void unwritten.push(details?.callId) };
  const engine = createEngine({
    tools,
    policy,
    events: { ...events, keys: idempotency },
    approvals,
    idempotency,
    clock: registry.clock,
    logger,
  });
  const scope = engine.scope(ann, { session: process });
  return {
    registry,
    effects,
    unwritten,
    release,
    change: (mark, { waits = false, tool, ...rest } = {}) => scope.invoke(tool ?? "change", { mark, waits }, rest),
    async inFlight() {
      const rows = await database.asSystem((query) => query.selectFrom("toolwright.calls_in_flight").select("call_id").execute());
      return rows.map(({ call_id: callId }) => callId);
    },
    findFaults: () => findFaults(database, { session: process, effects, calls }),
    async close() {
      await engine.close();
      idempotency.close();
      await registry.close();
    },
  };
}

function createProbeTools() {
  const effects: string[] = [];
  const calls: string[] = [];
  const waiting = new Set<() => void>();
  const change = defineTool({
    name: "change",
    description: "Notes that it had its effect, for tests of what comes before and after.",
    input: z.object({ mark: z.string(), waits: z.boolean() }),
    output: z.object({ text: z.string() }),
    effects: { destructive: true },
    async run({ mark, waits }, { callId }) {
      effects.push(mark);
      calls.push(callId);
      if (waits) await new Promise<void>((resolve) => waiting.add(resolve));
      return { text: mark };
    },
  });
  const release = () => {
    for (const resolve of waiting) resolve();
    waiting.clear();
  };
  return { effects, calls, release, tools: [change, defineTool({ ...change, name: "ask", approval: "always_ask" })] };
}

interface Finding {
  readonly session: string;
  readonly effects: readonly string[];
  /** Calls of the effects. */
  readonly calls: readonly string[];
}

async function findFaults(database: Database, { session, effects, calls }: Finding): Promise<readonly string[]> {
  const faults: string[] = [];
  for await (const report of verifyLog(database, {})) for (const fault of report.faults) faults.push(JSON.stringify(fault));
  const logged = await readStarted(database, session);
  for (const callId of calls) if (!logged.has(callId)) faults.push(`The effect of ${callId} is not in the log.`);
  if (new Set(effects).size < effects.length) faults.push("A call had its effect twice.");
  return faults;
}

async function readStarted(database: Database, session: string): Promise<ReadonlySet<string>> {
  const log = createPostgresEventLog(database, "reader");
  const started = new Set<string>();
  for (let after = 0; ; ) {
    const events = await log.read({ tenant, session, after });
    const last = events.at(-1);
    if (!last) return started;
    for (const { event } of events) if (isCallEvent(event) && event.type === "tool.started") started.add(event.callId);
    after = last.sequence;
  }
}
