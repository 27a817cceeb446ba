import { join } from "node:path";
import {
  type GrantRecord,
  type GrantRevocation,
  type GrantStore,
  isLive,
  passesGrantFilter,
  type StoredGrant,
  ToolwrightError,
} from "@toolwright/engine";
import { placeOnce } from "./place-once.ts";
import { type KeepOptions, type Prunable, Pruner } from "./prune-entries.ts";
import { namesIn, readJson } from "./read-json.ts";
import { isStoredId, pathPart } from "./state-folder.ts";

const useName = /^use-(\d+)\.json$/;
const nameOfUse = (number: number) => `use-${number}.json`;

/**
 * Grants as files, shared by every process on the machine: `<folder>/<tenant>/<id>/record.json`, `revoked.json`, and one `use-<n>.json` for each
 * use. What expired, was revoked or used up is kept for a while and then removed. A use is the one that places the next number, so no two processes count the same one and none is counted beyond the last.
 */
export function createFileGrantStore(folder: string, options: KeepOptions = {}): GrantStore & Prunable {
  const pruner = new Pruner(folder, { main: "record.json", own: ownName, endOf: endGrant }, options);
  const placeOf = (tenant: string, id: string) => join(folder, pathPart(tenant), id);
  const read = (tenant: string, id: string) => (isStoredId(id) ? readGrant(placeOf(tenant, id)) : Promise.resolve(undefined));
  return {
    async create(record) {
      const { id, tenant } = record;
      const created = isStoredId(id) && (await placeOnce(join(placeOf(tenant, id), "record.json"), JSON.stringify(record)));
      if (!created) throw new ToolwrightError("internal", `The grant "${id}" could not be stored: its id is taken or not a plain name.`);
      await pruner.pruneLazily();
    },
    get: read,
    async list(tenant, filter = {}) {
      const names = await namesIn(join(folder, pathPart(tenant)));
      const stored = await Promise.all(names.map((id) => read(tenant, id)));
      return stored
        .filter((grant) => grant !== undefined)
        .filter((grant) => passesGrantFilter(grant, filter))
        .sort((a, b) => a.record.createdAt - b.record.createdAt || (a.record.id < b.record.id ? -1 : 1));
    },
    async use(tenant, id, at) {
      const stored = await read(tenant, id);
      if (!stored || !isLive(stored, at)) return false;
      for (let number = stored.used + 1; number <= stored.record.maxUses; number++) {
        if (await placeOnce(join(placeOf(tenant, id), nameOfUse(number)), JSON.stringify({ at }))) return true;
      }
      return false;
    },
    async revoke(tenant, id, revocation) {
      if (!(await read(tenant, id))) return false;
      return placeOnce(join(placeOf(tenant, id), "revoked.json"), JSON.stringify(revocation));
    },
    prune: () => pruner.prune(),
  };
}

const ownName = /^(?:record|revoked|use-\d+)\.json(?:\.[0-9a-f]{16}\.draft)?$/;

/** When it could let nothing through any more. */
async function endGrant(place: string): Promise<number | undefined> {
  const stored = await readGrant(place);
  if (!stored) return undefined;
  const { record, used, lastUsedAt, revoked } = stored;
  const usedUpAt = used >= record.maxUses ? (lastUsedAt ?? record.expiresAt) : record.expiresAt;
  return Math.min(record.expiresAt, usedUpAt, revoked?.at ?? record.expiresAt);
}

async function readGrant(place: string): Promise<StoredGrant | undefined> {
  const record = await readJson<GrantRecord>(join(place, "record.json"));
  if (!record) return undefined;
  const used = Math.max(0, ...(await namesIn(place)).map((name) => Number(useName.exec(name)?.[1] ?? 0)));
  const last = used > 0 ? await readJson<{ readonly at: number }>(join(place, nameOfUse(used))) : undefined;
  const revoked = await readJson<GrantRevocation>(join(place, "revoked.json"));
  return { record, used, ...(last && { lastUsedAt: last.at }), ...(revoked && { revoked }) };
}
