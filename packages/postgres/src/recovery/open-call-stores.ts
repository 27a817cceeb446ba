import { hostname } from "node:os";
import type { ApprovalRecord } from "@toolwright/engine";
import type { ApprovalStore, CallTree, Clock, GrantStore, IdempotencyStore, Limiter } from "@toolwright/engine/ports";
import { createPostgresApprovalStore } from "../approvals/postgres-approval-store.ts";
import { createPostgresCallTree } from "../call-tree/postgres-call-tree.ts";
import type { Database } from "../database/database.ts";
import { createPostgresGrantStore } from "../grants/postgres-grant-store.ts";
import { createPostgresIdempotencyStore } from "../idempotency/postgres-idempotency-store.ts";
import { createPostgresLimiter } from "../limits/postgres-limiter.ts";
import { createProcessRegistry, type ProcessRegistry } from "./process-registry.ts";

interface CallStoreOptions {
  /** Unique among all processes that ever use the store. */
  readonly process: string;
  /** Who that is, for people. */
  readonly holder: string;
  readonly retryEndings?: () => Promise<void>;
  /** Clock of this machine; what is stored goes by the clock of the database. */
  readonly clock?: Clock;
  readonly brief?: boolean | undefined;
  readonly warn?: (message: string) => void;
  /** Hears once, of all processes, of each approval that nobody answered in time. */
  readonly onExpired?: (record: ApprovalRecord) => void;
}

/** What calls wait for, are allowed by and are counted by. */
export interface CallStores {
  readonly approvals: ApprovalStore;
  readonly grants: GrantStore;
  readonly limiter: Limiter;
  readonly idempotency: IdempotencyStore;
  readonly callTree: CallTree;
  readonly registry: ProcessRegistry;
}

/** Opens them, with this process on record as the one that uses them. */
export async function openCallStores(
  database: Database,
  { process, holder, retryEndings, clock, brief, warn, onExpired }: CallStoreOptions,
): Promise<CallStores & { close(): Promise<void> }> {
  const telling = warn ? { warn } : {};
  const keeping = { ...(retryEndings && { retryEndings }), ...(clock && { clock }), ...(onExpired && { onExpired }) };
  const registry = await createProcessRegistry(database, { process, role: holder, host: hostname(), brief, ...keeping, ...telling });
  const idempotency = createPostgresIdempotencyStore(database, { process, ...telling });
  return {
    approvals: createPostgresApprovalStore(database, { process }),
    grants: createPostgresGrantStore(database),
    limiter: createPostgresLimiter(database, telling),
    idempotency,
    callTree: createPostgresCallTree(database),
    registry,
    async close() {
      idempotency.close();
      await registry.close();
    },
  };
}
