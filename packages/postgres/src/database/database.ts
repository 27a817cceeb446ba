import type { Kysely, Transaction } from "kysely";
import type { Tables } from "./tables.ts";

export type Query = Transaction<Tables>;

/** What tells other processes on the same database that something changed; ids only, never content. */
export interface Announcement {
  readonly topic: string;
  readonly tenant: string;
  /** What changed, in the words of the topic. */
  readonly id: string;
}

/**
 * One PostgreSQL, embedded or a server.
 * *Contract:* `work` must not use the database but through the transaction it is given: the embedded one has a single session and would wait for itself.
 */
export interface Database {
  readonly kind: "embedded" | "server";
  /** Runs in one transaction that sees and writes rows of this tenant and no other. */
  asTenant<Result>(tenant: string, work: (query: Query) => Promise<Result>): Promise<Result>;
  /** Runs queries over all tenants, for what belongs to nobody: sweeping, checking, counting. Never on behalf of a caller. */
  asSystem<Result>(work: (query: Query) => Promise<Result>): Promise<Result>;
  /** The login's own rights, without a role: migrations, jobs, backup. */
  readonly owner: Kysely<Tables>;
  /** Tells every process, this one too, after at most 10 ms; not before the caller's transaction was committed. */
  announce(announcement: Announcement): void;
  /** Calls back for announcements of a topic; `undefined` means that some may have been missed. Returns how to stop. */
  listen(topic: string, listener: (announcement: Announcement | undefined) => void): () => void;
  /**
   * What this database holds at one moment, to be read for long without anybody waiting for it; this one is closed. What it needs to disk goes
   * `elsewhere` where its own has no room, and is removed when it is closed.
   */
  detach(options?: { readonly elsewhere?: string }): Promise<Database>;
  close(): Promise<void>;
}
