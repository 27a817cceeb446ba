import { describe, expect, it } from "vitest";
import { approvalStoreConformance } from "../testing/approval-store-conformance.ts";
import { artifactStoreConformance } from "../testing/artifact-store-conformance.ts";
import { eventLogConformance } from "../testing/event-log-conformance.ts";
import { grantStoreConformance } from "../testing/grant-store-conformance.ts";
import { createMemoryApprovalStore } from "./approval-store.ts";
import { createMemoryArtifactStore } from "./artifact-store.ts";
import { createMemoryEventLog } from "./event-log.ts";
import { createMemoryGrantStore } from "./grant-store.ts";
import { createMemoryLimiter } from "./limiter.ts";

const cleanup = async () => {};

describe("approval store in memory", () => {
  const open = async () => {
    const store = createMemoryApprovalStore();
    return { store, reopen: async () => store, cleanup };
  };
  for (const { name, run } of approvalStoreConformance(open)) it(name, run);
});

describe("grant store in memory", () => {
  const open = async () => {
    const store = createMemoryGrantStore();
    return { store, reopen: async () => store, cleanup };
  };
  for (const { name, run } of grantStoreConformance(open)) it(name, run);
});

describe("artifact store in memory", () => {
  for (const { name, run } of artifactStoreConformance(async () => ({ store: createMemoryArtifactStore(), cleanup }))) it(name, run);

  it("refuses what goes beyond its bound with disk_full, and has room again after a discard", async () => {
    const store = createMemoryArtifactStore({ maxBytes: 10 });
    const owner = { tenant: "acme", session: "s", callId: "c" };
    const writer = await store.create(owner, { name: "a", mediaType: "text/plain" });
    await writer.write(Buffer.alloc(8));
    await expect(writer.write(Buffer.alloc(8))).rejects.toMatchObject({ code: "disk_full" });
    await writer.discard();
    const second = await store.create(owner, { name: "b", mediaType: "text/plain" });
    await second.write(Buffer.alloc(10));
    expect((await second.finish()).size).toBe(10);
  });
});

describe("event log in memory", () => {
  for (const { name, run } of eventLogConformance(async () => ({ log: createMemoryEventLog(), cleanup }))) it(name, run);

  it("keeps the numbers of what is left when it forgets the oldest", async () => {
    const log = createMemoryEventLog({ keep: 5 });
    for (let at = 1; at <= 30; at += 1) {
      await log.append([
        {
          type: "tool.started",
          at,
          session: "s",
          tenant: "t",
          actor: { kind: "user", id: "u" },
          door: "cli",
          callId: "c",
          tool: "x",
          data: {},
        },
      ]);
    }
    const stored = await log.read({ tenant: "t", session: "s" });
    expect(stored.length).toBeLessThanOrEqual(11);
    for (const { event, sequence } of stored) expect(sequence).toBe(event.at);
  });
});

describe("limiter in memory", () => {
  it("grants as often as the rate says in a window, then says when to come back", () => {
    const limiter = createMemoryLimiter();
    const rate = { count: 2, windowMs: 1000 };
    expect(limiter.reserve("k", rate, 0)).toMatchObject({ granted: true });
    expect(limiter.reserve("k", rate, 100)).toMatchObject({ granted: true });
    expect(limiter.reserve("k", rate, 200)).toEqual({ granted: false, retryAfterMs: 800 });
    expect(limiter.reserve("other", rate, 200)).toMatchObject({ granted: true });
    expect(limiter.reserve("k", rate, 1001)).toMatchObject({ granted: true });
  });

  it("counts a released reservation no more, however often it is released", async () => {
    const limiter = createMemoryLimiter();
    const rate = { count: 2, windowMs: 1000 };
    await limiter.reserve("k", rate, 0);
    const second = await limiter.reserve("k", rate, 0);
    if (!second.granted) throw new Error("expected a grant");
    second.release();
    second.release();
    expect(await limiter.reserve("k", rate, 1)).toMatchObject({ granted: true });
    expect(await limiter.reserve("k", rate, 2)).toMatchObject({ granted: false });
  });
});
