import {
  type AccountAdmin,
  type AccountSession,
  type Clock,
  type ConnectedClient,
  systemClock,
  visibleText,
} from "@toolwright/engine/ports";
import type { Database, Query } from "../database/database.ts";
import { endAccess, withdrawAccess } from "./end-access.ts";
import { findAccount } from "./find-account.ts";
import { askPasswordReset, findPasswordReset, takePasswordReset } from "./password-resets.ts";

/** Accounts of people, which belong to no tenant: for whoever runs the store, and for the person themselves. */
export interface Accounts extends AccountAdmin {
  /** The address that an open link is for. */
  findPasswordReset(token: string): Promise<string | undefined>;
  /** Sets a password, as its hash, by a link, which is then used up, and ends every session. False when the link is open no more. */
  takePasswordReset(taken: { readonly token: string; readonly hashed: string }): Promise<boolean>;
  /** False for who signs in with another server alone. Rejects with `identity_not_found`. */
  hasPassword(email: string): Promise<boolean>;
  /** False when they gave nothing. */
  withdraw(email: string, from: { readonly client: string; readonly tenant: string }): Promise<boolean>;
}

export function createAccounts(database: Database, { clock = systemClock }: { readonly clock?: Clock } = {}): Accounts {
  const parts = { database, clock };
  const of = <Result>(email: string, work: (query: Query, user: string) => Promise<Result>) =>
    database.asSystem(async (query) => work(query, (await findAccount(query, email)).user));
  return {
    askPasswordReset: (wanted) => askPasswordReset(parts, wanted),
    findPasswordReset: (token) => findPasswordReset(parts, token),
    takePasswordReset: (taken) => takePasswordReset(parts, taken),
    listSessions: (email) => of(email, (query, user) => selectSessions(query, user, new Date(clock.now()))),
    listClients: (email) => of(email, selectClients),
    hasPassword: (email) => database.asSystem(async (query) => (await findAccount(query, email)).hasPassword),
    signOut: (email) => of(email, endAccess),
    withdraw: (email, from) => of(email, async (query, user) => (await withdrawAccess(query, { user, ...from })) > 0),
  };
}

async function selectSessions(query: Query, user: string, now: Date): Promise<readonly AccountSession[]> {
  const rows = await query
    .selectFrom("toolwright.auth_sessions")
    .select(["id", "created_at", "updated_at", "expires_at", "ip_address", "user_agent"])
    .where("user_id", "=", user)
    .where("expires_at", ">", now)
    .orderBy("created_at", "desc")
    .execute();
  return rows.map((row) => ({
    id: row.id,
    since: row.created_at.getTime(),
    lastUsedAt: row.updated_at.getTime(),
    expiresAt: row.expires_at.getTime(),
    address: row.ip_address || undefined,
    agent: row.user_agent || undefined,
  }));
}

async function selectClients(query: Query, user: string): Promise<readonly ConnectedClient[]> {
  const rows = await query
    .selectFrom("toolwright.oauth_consents as o")
    .innerJoin("toolwright.oauth_clients as c", "c.client_id", "o.client_id")
    .select(["o.client_id", "o.reference_id", "o.scopes", "o.created_at", "o.last_used_at", "c.name"])
    .where("o.user_id", "=", user)
    .orderBy("o.created_at")
    .execute();
  return rows.flatMap(({ client_id: client, reference_id: tenant, name, scopes, created_at, last_used_at: last }) => {
    if (tenant === null) return [];
    const used = last === null ? {} : { lastUsedAt: last.getTime() };
    return [{ client, name: visibleText(name ?? client), tenant, scopes, since: created_at.getTime(), ...used }];
  });
}
