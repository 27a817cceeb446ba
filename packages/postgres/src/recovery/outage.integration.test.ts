import { createEngine, defaultPolicy, defineTool } from "@toolwright/engine";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { z } from "zod";
import { createPostgresApprovalStore } from "../approvals/postgres-approval-store.ts";
import type { Database } from "../database/database.ts";
import { openServer } from "../database/open-server.ts";
import { createPostgresEventLog } from "../events/postgres-event-log.ts";
import { createPostgresIdempotencyStore } from "../idempotency/postgres-idempotency-store.ts";
import { migrate } from "../migrate/migrate.ts";
import { startTestServer, type TestServer } from "../testing/index.ts";
import { createProcessRegistry, type ProcessRegistry } from "./process-registry.ts";
import { retryEndings } from "./retry-endings.ts";

const policy = [{ tier: "platform" as const, document: { ...defaultPolicy, autonomy: "full" as const } }];
const ann = { tenant: "default", actor: { kind: "user", id: "ann" }, permissions: [], door: "cli" } as const;

describe("a database that goes away and comes back (R-AU-1, R-AU-6)", () => {
  let server: TestServer;
  let database: Database;
  let registry: ProcessRegistry;
  let release: (() => void) | undefined;
  const changed = vi.fn();
  /** Calls of which an event could not be written. */
  const unwritten: unknown[] = [];
  const logger = {
    log: (_level: string, _message: string, details?: { readonly callId?: unknown }) => void unwritten.push(details?.callId),
  };
  beforeAll(async () => {
    server = await startTestServer();
    database = await openServer(server.url);
    await migrate(database.owner);
  });
  afterAll(async () => {
    await registry.close();
    await database.close();
    await server.stop();
  });

  const open = async () => {
    const process = "p1";
    const events = retryEndings(createPostgresEventLog(database, process), database, process);
    registry = await createProcessRegistry(database, { process, role: "serve", host: "here", beatMs: 100, retryEndings: events.retry });
    const change = defineTool({
      name: "change",
      description: "A tool that changes something.",
      input: z.object({ waits: z.boolean() }),
      output: z.object({ text: z.string() }),
      effects: { destructive: true },
      async run({ waits }) {
        changed();
        if (waits) await new Promise<void>((resolve) => (release = resolve));
        return { text: "changed" };
      },
    });
    const ask = defineTool({ ...change, name: "ask", approval: "always_ask" });
    const approvals = createPostgresApprovalStore(database, { process });
    const idempotency = createPostgresIdempotencyStore(database, { process });
    return createEngine({ tools: [change, ask], policy, events, approvals, idempotency, logger }).scope(ann, { session: "s1" });
  };

  it("runs nothing that changes something meanwhile, says why, and goes on by itself; no call seems to run for ever", async () => {
    const scope = await open();
    expect(await scope.invoke("change", { waits: false })).toMatchObject({ status: "done" });
    const running = scope.invoke("change", { waits: true }, { idempotencyKey: "k-running" });
    await vi.waitUntil(() => release !== undefined, { timeout: 5_000 });
    changed.mockClear();
    await server.halt();
    release?.();
    const [plain, asking, keyed, ended] = await Promise.all([
      scope.invoke("change", { waits: false }),
      scope.invoke("ask", { waits: false }),
      scope.invoke("change", { waits: false }, { idempotencyKey: "k-new" }),
      running,
    ]);
    expect(changed).not.toHaveBeenCalled();
    expect(plain).toMatchObject({ status: "failed", error: { code: "record_failed", details: { cause: "store_unreachable" } } });
    for (const refused of [asking, keyed]) expect(refused).toMatchObject({ status: "failed", error: { code: "store_unreachable" } });
    expect(ended).toMatchObject({ status: "done" });
    // The log gave up on its ending: only from here on it is retried.
    await vi.waitUntil(() => unwritten.includes(ended.callId), { timeout: 20_000 });
    await server.start();
    const left = () => database.asSystem((query) => query.selectFrom("toolwright.calls_in_flight").select("call_id").execute());
    await expect.poll(() => left().catch(() => "away"), { timeout: 20_000 }).toEqual([]);
    expect(await scope.invoke("change", { waits: false })).toMatchObject({ status: "done" });
    const events = await createPostgresEventLog(database, "reader").read({ tenant: "default", session: "s1" });
    expect(events.filter(({ event }) => event.callId === ended.callId).map(({ event }) => event.type)).toEqual([
      "tool.started",
      "tool.completed",
    ]);
    await expect
      .poll(() => scope.invoke("change", { waits: true }, { idempotencyKey: "k-running" }), { timeout: 10_000 })
      .toMatchObject({ status: "done", callId: ended.callId, replayed: true });
    expect(await scope.invoke("change", { waits: false }, { idempotencyKey: "k-new" })).toMatchObject({ status: "done" });
  }, 90_000);
});
