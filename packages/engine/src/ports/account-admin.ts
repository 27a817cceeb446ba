import { definePort } from "./define-port.ts";

/** A browser in which somebody is signed in. */
export interface AccountSession {
  readonly id: string;
  /** Milliseconds since the epoch. */
  readonly since: number;
  readonly lastUsedAt: number;
  readonly expiresAt: number;
  readonly address: string | undefined;
  /** As the browser calls itself. */
  readonly agent: string | undefined;
}

/** A program that may act for a person. */
export interface ConnectedClient {
  readonly client: string;
  /** As it calls itself, with hidden characters written out. */
  readonly name: string;
  readonly tenant: string;
  readonly scopes: readonly string[];
  /** Milliseconds since the epoch. */
  readonly since: number;
  /** To the minute; absent before the first use. */
  readonly lastUsedAt?: number;
}

/** What ended when somebody was signed out. */
export interface EndedAccess {
  readonly sessions: number;
  /** Programs that acted for the person. */
  readonly clients: number;
}

/** A link with which somebody sets a new password. */
export interface PasswordReset {
  readonly email: string;
  /** Goes into the link, and is the only copy there is. */
  readonly token: string;
  /** Milliseconds since the epoch. */
  readonly expiresAt: number;
}

/**
 * Accounts of people, which belong to no tenant, as whoever runs the server looks after them. *Contract:* the admin of a tenant has no say here, as
 * the person may be in another one. Each function goes by the e-mail address, and rejects with `identity_not_found` where nobody has it.
 */
export interface AccountAdmin {
  /** An earlier link ends. Rejects with `identity_refused` for who has no password. */
  askPasswordReset(wanted: { readonly email: string; readonly by: string }): Promise<PasswordReset>;
  /** Newest first. */
  listSessions(email: string): Promise<readonly AccountSession[]>;
  listClients(email: string): Promise<readonly ConnectedClient[]>;
  /** Everywhere; programs lose their access too. */
  signOut(email: string): Promise<EndedAccess>;
}

export const accountsPort = definePort<AccountAdmin>()(
  "accounts",
  "the accounts of people, such as those of a store of @toolwright/postgres",
);
