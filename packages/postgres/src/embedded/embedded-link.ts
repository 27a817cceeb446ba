import type { Announcement } from "../database/database.ts";
import type { Role } from "../database/roles.ts";
import type { Pin } from "./pin-files.ts";

export interface LinkRows {
  readonly rows: readonly Record<string, unknown>[];
  readonly affected: number | undefined;
  /** As PostgreSQL names what it did: `SELECT`. */
  readonly command: string | undefined;
}

/** A transaction that has the database to itself until it ends. */
export interface LinkTransaction {
  query(sql: string, parameters: readonly unknown[]): Promise<LinkRows>;
  /** Resolves to the command that PostgreSQL ended it by. */
  commit(): Promise<string | undefined>;
  rollback(): Promise<void>;
}

/**
 * The way to the embedded database: in this process, or in the one that holds the folder.
 * *Contract:* transactions of all processes run one after the other; one whose process ends is rolled back.
 */
export interface EmbeddedLink {
  query(sql: string, parameters: readonly unknown[]): Promise<LinkRows>;
  /** Under a role, or with the login's own rights. When it rejects, nothing was begun. */
  begin(role?: Role): Promise<LinkTransaction>;
  /** Holds the files of the database, so that they can be copied. */
  pin(): Promise<Pin>;
  announce(announcements: readonly Announcement[]): void;
  /** Resolves when it broke or was closed. */
  readonly ended: Promise<void>;
  close(): Promise<void>;
}
