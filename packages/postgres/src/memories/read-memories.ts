import type { Memory, MemoryOwner, MemoryVersion } from "@toolwright/engine/ports";
import { type Selectable, sql } from "kysely";
import type { Query } from "../database/database.ts";
import type { MemoryTables } from "./tables.ts";

type Columns = Selectable<MemoryTables["toolwright.memories"]>;
type MemoryRow = Omit<Columns, "tenant" | "owner" | "by">;
/** An entry as a search of the database gives it. */
export type FoundMemory = Omit<Memory, "session" | "expiresAt"> & { readonly session: string | null; readonly expiresAt: number | null };
type VersionRow = Omit<Selectable<MemoryTables["toolwright.memory_versions"]>, "tenant" | "owner" | "key">;

/** Entries of the owner that are not over. */
export function selectMemories(query: Query, { tenant, owner }: MemoryOwner, { now }: { readonly now: number }) {
  return query
    .selectFrom("toolwright.memories")
    .select(["key", "content", "category", "trust", "sources", "session", "version", "created_at", "saved_at", "expires_at"])
    .where("tenant", "=", tenant)
    .where("owner", "=", owner)
    .where(sql<boolean>`(expires_at is null or expires_at > ${new Date(now)})`);
}

/** Newest first. */
export function selectVersions(query: Query, { tenant, owner }: MemoryOwner, key: string) {
  return query
    .selectFrom("toolwright.memory_versions")
    .select(["version", "content", "category", "trust", "sources", "by", "saved_at"])
    .where("tenant", "=", tenant)
    .where("owner", "=", owner)
    .where("key", "=", key)
    .orderBy("version", "desc");
}

export function toMemory({ created_at, saved_at, expires_at, ...rest }: MemoryRow): Memory {
  const times = { createdAt: created_at.getTime(), savedAt: saved_at.getTime(), expiresAt: expires_at?.getTime() ?? null };
  return withoutNulls({ ...rest, ...times });
}

export const withoutNulls = ({ session, expiresAt, ...rest }: FoundMemory): Memory => ({
  ...rest,
  ...(session !== null && { session }),
  ...(expiresAt !== null && { expiresAt }),
});

export function toVersion({ saved_at, ...rest }: VersionRow): MemoryVersion {
  return { ...rest, savedAt: saved_at.getTime() };
}
