import { ToolwrightError } from "@toolwright/engine/errors";
import type { Rotation, UnreadableSecret } from "@toolwright/engine/ports";
import type { Database, Query } from "../database/database.ts";
import { type PeekableKeyring, peekKey } from "./check-secrets.ts";
import type { Keyring } from "./keyring.ts";
import { beginning, type Cursor, rowsAtOnce, selectAfter } from "./read-secrets.ts";
import { rewrapSecret, type SealedSecret, type SecretAddress } from "./seal-secret.ts";
import { listTenantKeys, rewrapTenantKey, sealingKey } from "./tenant-keys.ts";
import { whyUnreadable } from "./unreadable-secret.ts";

/** Some rows at a time, each batch under locks of its own: who sets a secret meanwhile waits for milliseconds, and who reads one not at all. */
export async function rotateSecrets(database: Database, keyring: PeekableKeyring): Promise<Rotation> {
  const keyId = peekKey(keyring)?.id ?? refuseKeyless();
  const unreadable: UnreadableSecret[] = [];
  let rewrapped = 0;
  let after: Cursor | undefined = beginning;
  while (after) {
    const from: Cursor = after;
    const rows = await database.asSystem(async (query) => {
      const found = await selectAfter(query, from).where("key_id", "!=", keyId).forUpdate().execute();
      const turned = found.map((row) => ({ row, attempt: tryRewrap(row, keyring) }));
      for (const { row, attempt } of turned) if (attempt.secret) await writeWrapped(query, row, attempt.secret);
      return turned;
    });
    for (const { attempt } of rows) {
      if (attempt.secret) rewrapped += 1;
      else unreadable.push(attempt.why);
    }
    after = rows.length === rowsAtOnce ? rows.at(-1)?.row : undefined;
  }
  unreadable.push(...(await database.asSystem((query) => rotateTenantKeys(query, keyId, keyring))));
  return { keyId, rewrapped, unreadable };
}

async function rotateTenantKeys(query: Query, keyId: string, keyring: Keyring): Promise<readonly UnreadableSecret[]> {
  const unreadable: UnreadableSecret[] = [];
  for (const key of await listTenantKeys(query)) {
    if (key.key_id === keyId) continue;
    try {
      await rewrapTenantKey(query, key, keyring);
    } catch (error) {
      unreadable.push(whyUnreadable({ ...key, agent: "", name: sealingKey, generation: 0, binding: null }, error));
    }
  }
  return unreadable;
}

/** A new key in its place would look like the one that is missing. */
function refuseKeyless(): never {
  throw new ToolwrightError(
    "secret_unreadable",
    "There is no master key to bring secrets under, and none was made. If there was one, put it back: toolwright secrets check says which one. To go on with a new one, run toolwright secrets rotate --new-key; secrets under a key that is lost have to be set anew.",
  );
}

type Attempt = { readonly secret: SealedSecret } | { readonly secret?: undefined; readonly why: UnreadableSecret };

function tryRewrap(row: SealedSecret & SecretAddress, keyring: Keyring): Attempt {
  try {
    return { secret: rewrapSecret(row, row, keyring) };
  } catch (error) {
    return { why: whyUnreadable(row, error) };
  }
}

async function writeWrapped(query: Query, { tenant, agent, name }: SecretAddress, { key_id, wrapped_key }: SealedSecret): Promise<void> {
  await query
    .updateTable("toolwright.secrets")
    .set({ key_id, wrapped_key })
    .where("tenant", "=", tenant)
    .where("agent", "=", agent)
    .where("name", "=", name)
    .execute();
}
