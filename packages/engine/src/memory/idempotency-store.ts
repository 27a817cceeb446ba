import type { CallResult } from "../contract/call.ts";
import { copyJson } from "../contract/json.ts";
import { type IdempotencyClaim, type IdempotencyOwner, type IdempotencyStore, keyKeptUntil } from "../ports/idempotency-store.ts";

interface Row {
  readonly claim: IdempotencyClaim;
  readonly changedAt: number;
  readonly result?: CallResult;
}

/** Keys that are kept at most; beyond that the oldest ones are forgotten. */
const mostKeys = 10_000;

/** Keeps idempotency keys in memory: lost with the process, and with it the calls that ran under them. */
export function createMemoryIdempotencyStore(): IdempotencyStore {
  const rows = new Map<string, Row>();
  const placesOfCall = new Map<string, readonly string[]>();
  const placeOf = (tenant: string, key: string) => JSON.stringify([tenant, key]);
  const ownerText = ({ tenant, callId }: IdempotencyOwner) => JSON.stringify([tenant, callId]);
  const forget = (place: string, { claim }: Row) => {
    rows.delete(place);
    const owner = ownerText(claim);
    const others = (placesOfCall.get(owner) ?? []).filter((each) => each !== place);
    if (others.length > 0) placesOfCall.set(owner, others);
    else placesOfCall.delete(owner);
  };
  const find = (owner: IdempotencyOwner) =>
    (placesOfCall.get(ownerText(owner)) ?? []).flatMap((place) => {
      const row = rows.get(place);
      return row ? [{ place, row }] : [];
    });
  return {
    claim(claim) {
      const place = placeOf(claim.tenant, claim.key);
      const held = rows.get(place);
      if (held && !(held.result && held.claim.expiresAt <= claim.at)) {
        const { fingerprint, callId } = held.claim;
        const { result } = held;
        return Promise.resolve(result ? { kind: "answered", fingerprint, callId, result } : { kind: "running", fingerprint, callId });
      }
      if (held) forget(place, held);
      const oldest = rows.size >= mostKeys ? rows.entries().next().value : undefined;
      if (oldest) forget(...oldest);
      rows.set(place, { claim, changedAt: claim.at });
      const owner = ownerText(claim);
      placesOfCall.set(owner, [...(placesOfCall.get(owner) ?? []), place]);
      return Promise.resolve({ kind: "claimed" });
    },
    find(tenant, key) {
      const row = rows.get(placeOf(tenant, key));
      if (!row) return Promise.resolve(undefined);
      const { callId, at: claimedAt, expiresAt } = row.claim;
      return Promise.resolve({ callId, claimedAt, changedAt: row.changedAt, expiresAt, ...(row.result && { result: row.result }) });
    },
    settle(owner, result, at) {
      const found = find(owner);
      const kept = found.map(({ row }) => row.result).find((each) => each && each.status !== "pending");
      const counts = kept ?? result;
      for (const { place, row } of found) {
        if (row.result && row.result.status !== "pending") continue;
        const claim = { ...row.claim, expiresAt: Math.max(row.claim.expiresAt, keyKeptUntil(result)) };
        rows.set(place, { claim, changedAt: at, result: copyJson(counts) as unknown as CallResult });
      }
      return Promise.resolve(counts);
    },
    release(owner) {
      for (const { place, row } of find(owner))
        if (!row.claim.isFollowed && (row.result?.status ?? "pending") === "pending") forget(place, row);
      return Promise.resolve();
    },
  };
}
