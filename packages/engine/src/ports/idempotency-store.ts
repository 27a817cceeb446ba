import type { CallResult } from "../contract/call.ts";

/** Milliseconds that a key is remembered: from its claim, and from the end of an approval that its call waits for. */
export const keyKeptMs = 24 * 60 * 60 * 1000;

/** Until when a key is remembered at least whose call came to stand so; 0 where that changes nothing. */
export function keyKeptUntil(result: CallResult): number {
  return result.status === "pending" ? result.approval.expiresAt + keyKeptMs : 0;
}

/** A call that wants to be the only one of its key. */
export interface IdempotencyClaim {
  readonly tenant: string;
  /** Digest of the caller and of the key that it chose. */
  readonly key: string;
  /** Digest of tool and canonical input: the same key with another one is a mistake of the caller. */
  readonly fingerprint: string;
  readonly callId: string;
  /** Milliseconds since the epoch. */
  readonly at: number;
  /** When the key is forgotten, unless its call still runs or comes to wait for longer. */
  readonly expiresAt: number;
  /** True for a key under which the caller asks later how the call ended: that is kept also where running it again does no harm. */
  readonly isFollowed?: boolean;
}

/** A call as its key keeps it. Times in milliseconds since the epoch. */
export interface KeptCall {
  readonly callId: string;
  readonly claimedAt: number;
  /** When it came to stand as it does. */
  readonly changedAt: number;
  readonly expiresAt: number;
  /** How it ended, or `pending`; absent while it runs. */
  readonly result?: CallResult;
}

/** What a claim finds. */
export type IdempotencyState =
  /** This call is the first: it runs, and then `settle` or `release` follows. */
  | { readonly kind: "claimed" }
  | { readonly kind: "running"; readonly fingerprint: string; readonly callId: string }
  /** A result that is `pending` may still be replaced; any other is final. */
  | { readonly kind: "answered"; readonly fingerprint: string; readonly callId: string; readonly result: CallResult };

export interface IdempotencyOwner {
  readonly tenant: string;
  readonly callId: string;
}

/**
 * How the first call with a key ended (R-AU-4). *Contract:* of any number of concurrent claims of one key, over all processes, exactly one is
 * `claimed`. A key whose process ended before its call did is answered as `unknown`, or is free again where running twice does no harm and nobody
 * follows the call. A call may have several keys. `settle` and `release` may be called for calls without a key, and keep trying by themselves while
 * the store is away.
 */
export interface IdempotencyStore {
  claim(claim: IdempotencyClaim): Promise<IdempotencyState>;
  /** Looks without claiming; undefined for a key that nobody claimed, or that was freed or forgotten. */
  find(tenant: string, key: string): Promise<KeptCall | undefined>;
  /** Keeps a result, redacted already, and the key for as long as `keyKeptUntil` says, and gives back the one that counts: another one where the call was taken for lost before. */
  settle(owner: IdempotencyOwner, result: CallResult, at: number): Promise<CallResult>;
  /** Frees the key of a call that did not run, or goes on elsewhere, unless it is followed. */
  release(owner: IdempotencyOwner): Promise<void>;
}
