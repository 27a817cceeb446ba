import { randomBytes } from "node:crypto";
import { misfitAt } from "../contract/misfit-at.ts";
import type { Principal } from "../contract/principal.ts";
import { checkPermissions, expandPermissions, intersectPermissions } from "./roles.ts";
import { checkTitle } from "./tenant-store.ts";
import { isTokenOf, newToken } from "./token-text.ts";

const day = 24 * 60 * 60 * 1000;
const mostDays = 3_650;
const minute = 60_000;
const form = /^tw_([a-z0-9]{16})_[A-Za-z0-9_-]{43}$/;

export interface NewApiKey {
  /** What it is for, for people. */
  readonly name: string;
  readonly permissions: readonly string[];
  /** It calls in the name of this agent and no other. */
  readonly agent?: string | undefined;
  /** Id or e-mail address of the member as whom it calls, never with more than that one's role. Default: a service of its own. */
  readonly user?: string | undefined;
  /** Default 90; at most 3650. */
  readonly days?: number | undefined;
  readonly by: string;
}

/** What is known of a key after it was made. Times in milliseconds since the epoch. */
export interface ApiKeyRecord {
  readonly id: string;
  readonly name: string;
  readonly permissions: readonly string[];
  readonly agent?: string;
  readonly user?: string;
  readonly createdBy: string;
  readonly createdAt: number;
  readonly expiresAt: number;
  /** To the minute. */
  readonly lastUsedAt?: number;
  readonly revokedAt?: number;
}

/** A key as a store keeps it. */
export interface StoredApiKey {
  readonly tenant: string;
  /** As `hashToken` makes it of the whole key, which is nowhere else. */
  readonly hash: string;
  readonly record: ApiKeyRecord;
}

/** Who somebody is, without the door they come through. */
export type Identified = Pick<Principal, "tenant" | "actor" | "agent" | "permissions" | "key">;

/** Why a key opens nothing. Whoever is told more than `unknown` has shown the whole key. */
export type KeyProblem = "unknown" | "revoked" | "expired" | "suspended";

/** True for text that is meant as a key of ours; only a store says whether it is one. */
export function looksLikeKey(token: string): boolean {
  return token.startsWith("tw_");
}

/** A new key, with the part of it that names it. */
export function makeApiKey(): { readonly id: string; readonly key: string } {
  const id = randomBytes(8).toString("hex");
  return { id, key: `tw_${id}_${newToken()}` };
}

/** The part that names a key; undefined for what is none. */
export function apiKeyIdOf(token: string): string | undefined {
  return form.exec(token)?.[1];
}

/** When a wanted key that is made now expires. Throws `identity_refused` for what cannot be a key. */
export function apiKeyExpiry({ permissions, name, days = 90 }: NewApiKey, now: number): number {
  checkPermissions(permissions);
  checkTitle("key", name);
  if (!Number.isInteger(days) || days < 1 || days > mostDays)
    throw misfitAt("/days", "identity_refused", `A key is good for 1 to ${mostDays} days, not ${days}.`);
  return now + days * day;
}

/** Why the token opens nothing; undefined when it does. The time that it takes says nothing of the key. */
export function findKeyProblem(
  token: string,
  key: StoredApiKey | undefined,
  { now, isSuspended }: { readonly now: number; readonly isSuspended: boolean },
): KeyProblem | undefined {
  const isRight = isTokenOf(token, key?.hash ?? "");
  if (!key || !isRight) return "unknown";
  if (key.record.revokedAt !== undefined) return "revoked";
  if (key.record.expiresAt <= now) return "expired";
  return isSuspended ? "suspended" : undefined;
}

/** True when the use of a key is to be noted once more. */
export function isKeyUseDue({ lastUsedAt }: ApiKeyRecord, now: number): boolean {
  return lastUsedAt === undefined || now - lastUsedAt >= minute;
}

/** Whom a key stands for. `role` are the patterns of the member's role, `known` are the permissions that a `*` stands for. */
export function toIdentified(
  { tenant, record }: StoredApiKey,
  { role, known }: { readonly role: readonly string[] | undefined; readonly known: readonly string[] },
): Identified {
  const { id, agent, user, permissions } = record;
  const own = expandPermissions(permissions, known);
  const common = { tenant, ...(agent !== undefined && { agent }) };
  if (user === undefined || role === undefined) return { ...common, actor: { kind: "service", id: `key:${id}` }, permissions: own };
  return { ...common, key: id, actor: { kind: "user", id: user }, permissions: intersectPermissions(own, role) };
}
