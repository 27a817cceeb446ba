import type { SessionEvent } from "@toolwright/engine";
import { type KeyWrite, keyKeptUntil } from "@toolwright/engine/ports";
import { storableText } from "../database/storable-text.ts";

/** An event, with what is written of a key in the same write. */
export interface LogEntry {
  readonly event: SessionEvent;
  readonly key?: KeyWrite | undefined;
}

/** The keys of a batch as the database takes them; undefined where it has none. */
export function packKeys(entries: readonly LogEntry[]) {
  const claims = entries.flatMap(({ key }) => key?.claim ?? []);
  const settlements = entries.flatMap(({ key }) => key?.settlement ?? []);
  if (claims.length === 0 && settlements.length === 0) return undefined;
  const results = settlements.map(({ result }) => result);
  return {
    keys: claims.map(({ key }) => key),
    fingerprints: claims.map(({ fingerprint }) => fingerprint),
    claiming: claims.map(({ callId }) => storableText(callId)),
    ats: claims.map(({ at }) => at),
    expiries: claims.map(({ expiresAt }) => expiresAt),
    followed: claims.map(({ isFollowed = false }) => isFollowed),
    ending: settlements.map(({ owner }) => storableText(owner.callId)),
    results: results.map((result) => JSON.stringify(result)),
    finals: results.map(({ status }) => status !== "pending"),
    endeds: settlements.map(({ at }) => at),
    keptUntils: results.map(keyKeptUntil),
  };
}

export type PackedKeys = NonNullable<ReturnType<typeof packKeys>>;

/** Entries whose claims came too late, as the database tells it; undefined for any other failure. */
export function takenOf(error: unknown, entries: readonly LogEntry[]): ReadonlySet<LogEntry> | undefined {
  const { code, detail } = (error ?? {}) as { readonly code?: unknown; readonly detail?: unknown };
  if (code !== "TW002") return undefined;
  const calls = new Set<string>(JSON.parse(String(detail)));
  const late = entries.filter(({ key }) => key?.claim && calls.has(storableText(key.claim.callId)));
  return late.length > 0 ? new Set(late) : undefined;
}
