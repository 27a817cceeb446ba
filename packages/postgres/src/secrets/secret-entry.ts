import type { SecretEntry } from "@toolwright/engine/ports";
import { readBinding } from "./secret-binding.ts";

export interface SealedEntry extends SecretEntry {
  /** Id of the master key that it needs. */
  readonly keyId: string;
}

/** What is read of a secret to be shown. */
export const entryColumns = [
  ...(["tenant", "agent", "name", "generation", "key_id", "binding"] as const),
  ...(["created_at", "changed_at", "last_used_at", "last_used_by"] as const),
] as const;

interface EntryRow {
  readonly tenant: string;
  readonly agent: string;
  readonly name: string;
  readonly generation: number;
  readonly key_id: string;
  readonly binding: string | null;
  readonly created_at: Date;
  readonly changed_at: Date;
  readonly last_used_at: Date | null;
  readonly last_used_by: string | null;
}

export function toEntry(row: EntryRow): SealedEntry {
  const { tenant, agent, name, generation, key_id, binding, created_at, changed_at, last_used_at, last_used_by } = row;
  return {
    tenant,
    ...(agent !== "" && { agent }),
    name,
    generation: String(generation),
    keyId: key_id,
    ...readBinding(binding),
    createdAt: created_at.getTime(),
    changedAt: changed_at.getTime(),
    ...(last_used_at && { lastUsedAt: last_used_at.getTime() }),
    ...(last_used_by !== null && { lastUsedBy: last_used_by }),
  };
}
