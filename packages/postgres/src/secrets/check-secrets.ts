import type { KeyCheck, UnreadableSecret } from "@toolwright/engine/ports";
import type { Database } from "../database/database.ts";
import type { Keyring, MasterKey } from "./keyring.ts";
import { beginning, type Cursor, rowsAtOnce, selectAfter } from "./read-secrets.ts";
import { openSecret, type SealedSecret, type SecretAddress } from "./seal-secret.ts";
import { checkTenantKey, listTenantKeys, sealingKey } from "./tenant-keys.ts";
import { whyUnreadable } from "./unreadable-secret.ts";

/** One whose `current` makes a key where there is none can be looked at without that. */
export interface PeekableKeyring extends Keyring {
  readonly peek?: () => MasterKey | undefined;
}

/** The key that encrypts, if there is one: who only looks, or turns what is there, makes none. */
export function peekKey(keyring: PeekableKeyring): MasterKey | undefined {
  return keyring.peek ? keyring.peek() : keyring.current();
}

export async function checkSecrets(database: Database, keyring: PeekableKeyring): Promise<KeyCheck> {
  const current = peekKey(keyring)?.id ?? "none";
  const counts = new Map<string, number>();
  const unreadable: UnreadableSecret[] = [];
  let after: Cursor | undefined = beginning;
  while (after) {
    const from: Cursor = after;
    const rows = await database.asSystem((query) => selectAfter(query, from).execute());
    for (const row of rows) {
      counts.set(row.key_id, (counts.get(row.key_id) ?? 0) + 1);
      unreadable.push(...tryOpen(row, keyring));
    }
    after = rows.length === rowsAtOnce ? rows.at(-1) : undefined;
  }
  for (const key of await database.asSystem(listTenantKeys)) {
    counts.set(key.key_id, (counts.get(key.key_id) ?? 0) + 1);
    unreadable.push(...tryOpenKey(key, keyring));
  }
  const needed = [...counts].map(([keyId, secrets]) => ({
    keyId,
    secrets,
    isCurrent: keyId === current,
    isKnown: keyring.find(keyId) !== undefined,
  }));
  return { currentKeyId: current, needed, unreadable };
}

function tryOpenKey(key: Parameters<typeof checkTenantKey>[0], keyring: Keyring): readonly UnreadableSecret[] {
  try {
    checkTenantKey(key, keyring);
    return [];
  } catch (error) {
    return [whyUnreadable({ ...key, agent: "", name: sealingKey, generation: 0, binding: null }, error)];
  }
}

function tryOpen(row: SealedSecret & SecretAddress, keyring: Keyring): readonly UnreadableSecret[] {
  try {
    openSecret(row, row, keyring);
    return [];
  } catch (error) {
    return [whyUnreadable(row, error)];
  }
}
