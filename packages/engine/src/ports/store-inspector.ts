import { definePort } from "./define-port.ts";

/** What the database of a store is, and whether it fits the program. */
export interface StoreState {
  readonly kind: "embedded" | "server";
  /** Version of PostgreSQL. */
  readonly version: string;
  readonly bytes: number;
  /** Milliseconds that the program's clock is ahead of the database's, or behind it (negative), to the second. */
  readonly clockGapMs: number;
  /** False where this version cannot work with it as it stands. */
  readonly fits: boolean;
  readonly migrations: {
    readonly applied: readonly string[];
    /** Migrations of this version that are not applied yet, oldest first. */
    readonly pending: readonly string[];
    /** Applied by a newer version; this one does not know them. */
    readonly unknown: readonly string[];
    /** Applied with another text than this version has. */
    readonly changed: readonly string[];
  };
}

/** What was looked at, and what is wrong. */
export interface StoreReport {
  readonly sessions: number;
  readonly events: number;
  /** In sentences; none where all is whole. */
  readonly problems: readonly string[];
  /** It was stopped before its end: there may be more of all. */
  readonly stopped?: true | undefined;
}

/** Looks at a store below all tenants. *Contract:* for whoever runs the server; nothing is changed, and no password is in an answer. */
export interface StoreInspector {
  /** Its folder, or the address of its server. */
  readonly place: string;
  /** Also of a store that this version cannot work with. */
  describe(): Promise<StoreState>;
  /**
   * Looks at everything that can be checked: tables, tenant isolation, every chain of the log. Stops between two sessions when the signal says so.
   * Rejects with `store_outdated` for a store that lacks migrations.
   */
  verify(signal?: AbortSignal): Promise<StoreReport>;
}

export const storePort = definePort<StoreInspector>()("store", "who looks at the store, as @toolwright/server does");
