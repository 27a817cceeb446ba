import type { IdentityAdmin } from "@toolwright/engine/ports";

/** Who belongs to which tenant, as the host of the package knows it. */
export type MemberDirectory = Pick<
  IdentityAdmin,
  "membershipsOf" | "identifyMember" | "isInvited" | "findInvitation" | "acceptInvitations"
>;

/** A session of a person, as they see it themselves. */
export interface PersonSession {
  readonly id: string;
  /** Milliseconds since the epoch. */
  readonly since: number;
  readonly address: string | undefined;
  /** The name that the browser gives itself. */
  readonly agent: string | undefined;
}

/** A program that may act for a person. */
export interface PersonClient {
  readonly client: string;
  /** The name that the program gives itself, with hidden characters written out. */
  readonly name: string;
  readonly tenant: string;
  /** What it may do. */
  readonly scopes: readonly string[];
  /** Milliseconds since the epoch. */
  readonly since: number;
  /** To the minute; absent before the first use. */
  readonly lastUsedAt?: number;
}

/** What people have by themselves and in no tenant, as the host of the package keeps it. */
export interface AccountDirectory {
  listSessions(email: string): Promise<readonly PersonSession[]>;
  listClients(email: string): Promise<readonly PersonClient[]>;
  /** False for who signs in with another server alone. */
  hasPassword(email: string): Promise<boolean>;
  /** Takes back what a person allowed a program in a tenant. */
  withdraw(email: string, from: { readonly client: string; readonly tenant: string }): Promise<boolean>;
  /** The address that an open link for a new password is for. */
  findPasswordReset(token: string): Promise<string | undefined>;
  /** Sets a password, as its hash, by a link, which is then used up, and ends every session. False when the link is open no more. */
  takePasswordReset(taken: { readonly token: string; readonly hashed: string }): Promise<boolean>;
}
