import { describe, expect, it } from "vitest";
import type { SessionName } from "../ports/session-store.ts";
import { approvalStoreConformance } from "../testing/approval-store-conformance.ts";
import { artifactStoreConformance } from "../testing/artifact-store-conformance.ts";
import { callTreeConformance } from "../testing/call-tree-conformance.ts";
import { catalogueStoreConformance } from "../testing/catalogue-store-conformance.ts";
import { clientSessionsConformance } from "../testing/client-sessions-conformance.ts";
import { eventLogConformance } from "../testing/event-log-conformance.ts";
import { foreignMarksConformance } from "../testing/foreign-marks-conformance.ts";
import { grantStoreConformance } from "../testing/grant-store-conformance.ts";
import { idempotencyStoreConformance } from "../testing/idempotency-store-conformance.ts";
import { identityAdminConformance } from "../testing/identity-admin-conformance.ts";
import { keyedLogConformance } from "../testing/keyed-log-conformance.ts";
import { knowledgeStoreConformance } from "../testing/knowledge-store-conformance.ts";
import { limiterConformance } from "../testing/limiter-conformance.ts";
import { createManualClock } from "../testing/manual-clock.ts";
import { memoryStoreConformance } from "../testing/memory-store-conformance.ts";
import { policyStoreConformance } from "../testing/policy-store-conformance.ts";
import { roomsConformance } from "../testing/rooms-conformance.ts";
import { sealKeysConformance } from "../testing/seal-keys-conformance.ts";
import { secretAdminConformance } from "../testing/secret-admin-conformance.ts";
import { type OpenSecretStore, secretStoreConformance } from "../testing/secret-store-conformance.ts";
import { sessionStoreConformance } from "../testing/session-store-conformance.ts";
import { tenantStoreConformance } from "../testing/tenant-store-conformance.ts";
import { turnStreamConformance } from "../testing/turn-stream-conformance.ts";
import { turnsConformance } from "../testing/turns-conformance.ts";
import { createMemoryApprovalStore } from "./approval-store.ts";
import { createMemoryArtifactStore } from "./artifact-store.ts";
import { createMemoryCallTree } from "./call-tree.ts";
import { createMemoryCatalogueStore } from "./catalogue-store.ts";
import { createMemoryClientSessions } from "./client-sessions.ts";
import { createMemoryKnowledge } from "./documents.ts";
import { createMemoryEventLog } from "./event-log.ts";
import { createMemoryForeignMarks } from "./foreign-marks.ts";
import { createMemoryGrantStore } from "./grant-store.ts";
import { createMemoryIdempotencyStore } from "./idempotency-store.ts";
import { createMemoryIdentity } from "./identity.ts";
import { createMemoryLimiter } from "./limiter.ts";
import { createMemoryMemories } from "./memories.ts";
import { createMemoryPolicyStore } from "./policy-store.ts";
import { createMemoryRooms } from "./rooms.ts";
import { createMemorySealKeys } from "./seal-keys.ts";
import { createMemorySecretStore } from "./secret-store.ts";
import { createMemorySessionStore } from "./session-store.ts";
import { createMemoryTenantStore } from "./tenant-store.ts";
import { createMemoryTurnStream } from "./turn-stream.ts";
import { createMemoryTurns } from "./turns.ts";

const cleanup = async () => {};

describe("approval store in memory", () => {
  const open = async () => {
    const store = createMemoryApprovalStore();
    return { store, reopen: async () => store, cleanup };
  };
  for (const { name, run } of approvalStoreConformance(open)) it(name, run);
});

describe("foreign marks in memory", () => {
  const open = async () => {
    const marks = createMemoryForeignMarks();
    return { marks, reopen: async () => marks };
  };
  for (const { name, run } of foreignMarksConformance(open)) it(name, run);
});

describe("call tree in memory", () => {
  const open = async () => {
    const approvals = createMemoryApprovalStore();
    const tree = createMemoryCallTree({ approvals });
    return { tree, approvals, reopen: async () => tree, cleanup };
  };
  for (const { name, run } of callTreeConformance(open)) it(name, run);
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

describe("client sessions in memory", () => {
  const open = async () => {
    const sessions = createMemoryClientSessions();
    return { sessions, reopen: async () => sessions };
  };
  for (const { name, run } of clientSessionsConformance(open)) it(name, run);
});

describe("keys that seal, in memory", () => {
  const open = async () => {
    const bytes = new Uint8Array(32).fill(7);
    return { keys: createMemorySealKeys(bytes), reopen: async () => createMemorySealKeys(bytes) };
  };
  for (const { name, run } of sealKeysConformance(open)) it(name, run);
});

describe("tenants in memory", () => {
  const open = async () => {
    const store = createMemoryTenantStore();
    return { store, reopen: async () => store };
  };
  for (const { name, run } of tenantStoreConformance(open)) it(name, run);
});

describe("catalogue store in memory", () => {
  const open = async () => {
    const tenants = { has: (tenant: string) => ["acme", "other", "default"].includes(tenant) };
    return { store: createMemoryCatalogueStore({ tenants }), cleanup };
  };
  for (const { name, run } of catalogueStoreConformance(open)) it(name, run);
});

describe("identity in memory", () => {
  const open = async (known: readonly string[]) => {
    const clock = createManualClock(1_000);
    const tenants = createMemoryTenantStore({ clock });
    const identity = createMemoryIdentity({ clock, tenants, knownPermissions: () => known });
    return { identity, tenants, clock, addPerson: identity.addPerson };
  };
  for (const { name, run } of identityAdminConformance(open)) it(name, run);
});

describe("secret store in memory", () => {
  const open = async () => {
    const store = createMemorySecretStore();
    const set: OpenSecretStore["set"] = async (tenant, name, value, { agent, binding } = {}) => {
      if (value === undefined) await store.remove({ tenant, name, agent });
      else await store.set({ tenant, name, agent }, value, binding && { ...binding, hosts: binding.origins });
    };
    return { store, set, cleanup };
  };
  for (const { name, run } of secretStoreConformance(open)) it(name, run);
  for (const { name, run } of secretAdminConformance(async () => ({ secrets: createMemorySecretStore(), cleanup }))) it(name, run);
});

describe("event log in memory", () => {
  for (const { name, run } of eventLogConformance(async () => ({ log: createMemoryEventLog(), cleanup }))) it(name, run);
  const openKeyed = async () => {
    const keys = createMemoryIdempotencyStore();
    return { log: { ...createMemoryEventLog({ keys }), keys }, cleanup };
  };
  for (const { name, run } of keyedLogConformance(openKeyed)) it(name, run);

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
  const open = async () => {
    const limiter = createMemoryLimiter();
    return { limiter, reopen: async () => limiter, cleanup };
  };
  for (const { name, run } of limiterConformance(open)) it(name, run);
});

describe("idempotency store in memory", () => {
  const open = async () => {
    const store = createMemoryIdempotencyStore();
    return { store, reopen: async () => store, cleanup };
  };
  for (const { name, run } of idempotencyStoreConformance(open)) it(name, run);
});

describe("sessions in memory", () => {
  const open = async () => {
    const store = createMemorySessionStore();
    return { store, use: async (name: SessionName, at: number) => store.ensure(name, { owner: "ann", at }), reopen: async () => store };
  };
  for (const { name, run } of sessionStoreConformance(open)) it(name, run);
});

describe("policies of tenants in memory", () => {
  const open = async () => {
    const store = createMemoryPolicyStore();
    return { store, reopen: async () => store };
  };
  for (const { name, run } of policyStoreConformance(open)) it(name, run);
});

describe("turns in memory", () => {
  const open = async () => {
    const turns = createMemoryTurns();
    return { turns, reopen: async () => turns, cleanup };
  };
  for (const { name, run } of turnsConformance(open)) it(name, run);
});

describe("memories in memory", () => {
  const open = async () => {
    const memories = createMemoryMemories();
    return { memories, reopen: async () => memories, cleanup };
  };
  for (const { name, run } of memoryStoreConformance(open)) it(name, run);
});

describe("rooms in memory", () => {
  const open = async () => {
    const rooms = createMemoryRooms();
    return { rooms, reopen: async () => rooms, cleanup };
  };
  for (const { name, run } of roomsConformance(open)) it(name, run);
});

describe("what people see of turns in memory", () => {
  const open = async () => {
    const stream = createMemoryTurnStream();
    return { stream, reopen: async () => stream, cleanup };
  };
  for (const { name, run } of turnStreamConformance(open)) it(name, run);
});

describe("documents in memory", () => {
  const open = async () => {
    const store = createMemoryKnowledge();
    return { store, reopen: async () => store, cleanup };
  };
  for (const { name, run } of knowledgeStoreConformance(open)) it(name, run);
});
