import type { Reach } from "../contract/decision.ts";
import type { Actor } from "../contract/principal.ts";

/** What a grant lets through unasked. A call may be covered by several of them together. */
export type GrantPredicate =
  /** A pattern over the words of one simple command, wrappers taken off, as in `commands.rules` of the policy. */
  | { readonly kind: "command"; readonly pattern: string }
  /** This path of the workspace and all below it, with this access and no other. */
  | { readonly kind: "path"; readonly prefix: string; readonly access: Extract<Reach, { kind: "path" }>["access"] }
  /** A host rule (`api.example.org`, `*.example.org:8443`) and one method; with this secret, or else without any. */
  | { readonly kind: "request"; readonly host: string; readonly method: string; readonly credential?: string }
  /** Digest of the canonical input after repair: this very call. Only for tools that name nothing they reach. */
  | { readonly kind: "input"; readonly digest: string };

/** For whom it holds. `holder` is an agent or, where there is none, an actor, as `granteeOf` writes it. */
export type GrantAudience =
  | { readonly kind: "session"; readonly session: string; readonly holder: string }
  | { readonly kind: "agent"; readonly holder: string }
  | { readonly kind: "tenant" };

/** How far a yes is remembered, as a person says it. */
export interface GrantTerms {
  readonly scope: GrantAudience["kind"];
  /** Milliseconds. Default 12 hours for a session, else 30 days; at most 365 days. */
  readonly forMs?: number;
  /** Default 1000; at most 10 000. */
  readonly maxUses?: number;
}

/** A remembered, bounded yes. It turns `ask` into `allow` and never touches a denial. */
export interface GrantRecord {
  readonly id: string;
  readonly tenant: string;
  readonly tool: string;
  /** Hash of the tool's definition; with another definition the grant does not hold. */
  readonly definition: string;
  readonly scope: GrantAudience;
  /** At least one. */
  readonly allows: readonly GrantPredicate[];
  /** The person who gave it. */
  readonly by: Actor;
  /** Milliseconds since the epoch. */
  readonly createdAt: number;
  readonly expiresAt: number;
  readonly maxUses: number;
  /** The approval that it was given with. */
  readonly approval?: string;
}

export interface GrantRevocation {
  readonly by: Actor;
  /** Milliseconds since the epoch. */
  readonly at: number;
}

/** A grant as the store keeps it: its terms, how often it was used, and its revocation where there is one. */
export interface StoredGrant {
  readonly record: GrantRecord;
  readonly used: number;
  /** Milliseconds since the epoch. */
  readonly lastUsedAt?: number;
  readonly revoked?: GrantRevocation;
}

export interface GrantFilter {
  /** Milliseconds since the epoch: neither revoked, expired nor used up then. */
  readonly liveAt?: number;
  readonly tool?: string;
}

/** What the filter means, for stores that filter in the process. */
export function passesGrantFilter(stored: StoredGrant, { liveAt, tool }: GrantFilter): boolean {
  if (tool !== undefined && stored.record.tool !== tool) return false;
  return liveAt === undefined || isLive(stored, liveAt);
}

/** True when it can be used once more at that time (milliseconds since the epoch). */
export function isLive({ record, used, revoked }: StoredGrant, at: number): boolean {
  return revoked === undefined && at < record.expiresAt && used < record.maxUses;
}

/** *Contract:* `use` and `revoke` are atomic across processes: never more than `maxUses` uses succeed, and none after a revocation. */
export interface GrantStore {
  /** Rejects when the id is taken. */
  create(record: GrantRecord): Promise<void>;
  get(tenant: string, id: string): Promise<StoredGrant | undefined>;
  /** Oldest first. */
  list(tenant: string, filter?: GrantFilter): Promise<readonly StoredGrant[]>;
  /** Counts one use; false when it is not live then. */
  use(tenant: string, id: string, at: number): Promise<boolean>;
  /** False when it was revoked before. */
  revoke(tenant: string, id: string, revocation: GrantRevocation): Promise<boolean>;
}
