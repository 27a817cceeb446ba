import type { CallResult } from "../contract/call.ts";
import type { IdempotencyClaim, IdempotencyOwner, IdempotencyStore } from "../ports/idempotency-store.ts";

interface Row {
  readonly claim: IdempotencyClaim;
  readonly result?: CallResult;
}

/** Keys that are kept at most; beyond that the oldest ones are forgotten. */
const mostKeys = 10_000;

/** Keeps idempotency keys in memory: lost with the process, and with it the calls that ran under them. */
export function createMemoryIdempotencyStore(): IdempotencyStore {
  const rows = new Map<string, Row>();
  const placeOfCall = new Map<string, string>();
  const ownerText = ({ tenant, callId }: IdempotencyOwner) => JSON.stringify([tenant, callId]);
  const forget = (place: string, { claim }: Row) => {
    rows.delete(place);
    placeOfCall.delete(ownerText(claim));
  };
  const find = (owner: IdempotencyOwner) => {
    const place = placeOfCall.get(ownerText(owner));
    const row = place === undefined ? undefined : rows.get(place);
    return place === undefined || !row ? undefined : { place, row };
  };
  return {
    claim(claim) {
      const place = JSON.stringify([claim.tenant, claim.key]);
      const held = rows.get(place);
      if (held && !(held.result && held.claim.expiresAt <= claim.at)) {
        const { fingerprint, callId } = held.claim;
        const { result } = held;
        return Promise.resolve(result ? { kind: "answered", fingerprint, callId, result } : { kind: "running", fingerprint, callId });
      }
      if (held) forget(place, held);
      const [oldest] = rows;
      if (oldest && rows.size >= mostKeys) forget(...oldest);
      rows.set(place, { claim });
      placeOfCall.set(ownerText(claim), place);
      return Promise.resolve({ kind: "claimed" });
    },
    settle(owner, result) {
      const found = find(owner);
      const kept = found?.row.result;
      if (kept && kept.status !== "pending") return Promise.resolve(kept);
      if (found) rows.set(found.place, { ...found.row, result: JSON.parse(JSON.stringify(result)) as CallResult });
      return Promise.resolve(result);
    },
    release(owner) {
      const found = find(owner);
      if (found && (found.row.result?.status ?? "pending") === "pending") forget(found.place, found.row);
      return Promise.resolve();
    },
  };
}
