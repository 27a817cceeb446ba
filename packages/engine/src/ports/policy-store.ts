import { ToolwrightError } from "../contract/errors.ts";
import type { JsonObject } from "../contract/json.ts";
import type { Actor } from "../contract/principal.ts";

/** One state of a tenant's policy. None is ever changed or removed. */
export interface PolicyVersion {
  readonly tenant: string;
  /** Counts from 1, without a gap. */
  readonly revision: number;
  /** As it was written: members of a policy document, and `agents`. */
  readonly document: JsonObject;
  readonly author: Actor;
  /** Why, in words. */
  readonly note: string;
  /** Milliseconds since the epoch. */
  readonly at: number;
}

export interface NewPolicyVersion extends Omit<PolicyVersion, "revision"> {
  /** The revision that the author read and changed; 0 for a tenant without a policy. */
  readonly read: number;
}

/** Policies of tenants, version by version. The platform's is not among them. */
export interface PolicyStore {
  /**
   * The newest version, which is the one in force.
   * *Contract:* synchronous, from a snapshot; the same object until the policy changes; a change by any process shows within a second.
   */
  current(tenant: string): PolicyVersion | undefined;
  /** Keeps a version, which is then in force here. Rejects with `policy_conflict` where `read` is not the newest revision; nothing is then written. */
  put(version: NewPolicyVersion): Promise<PolicyVersion>;
  /** Newest first, those before the revision `before`; at most `limit`, by default 50. */
  list(
    tenant: string,
    page?: { readonly before?: number | undefined; readonly limit?: number | undefined },
  ): Promise<readonly PolicyVersion[]>;
  find(tenant: string, revision: number): Promise<PolicyVersion | undefined>;
  /** Calls back when some tenant's policy changed; returns how to stop. */
  onChange(listener: () => void): () => void;
}

/** What `put` rejects with. */
export function policyConflict(read: number, newest: number): ToolwrightError {
  const now = newest === 0 ? "has none" : `is at revision ${newest}`;
  const message = `The policy was changed from revision ${read}, but the tenant ${now} now. Read it again, make the change there, and put that.`;
  return new ToolwrightError("policy_conflict", message, { details: { read, newest } });
}

/** How many versions a page holds by default. */
export const policyPage = 50;
