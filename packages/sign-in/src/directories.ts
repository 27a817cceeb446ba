/** A tenant that a person belongs to. */
export interface PersonTenant {
  readonly tenant: string;
  readonly name: string;
  readonly role: string;
}

/** An invitation that is open. */
export interface OpenInvitation {
  readonly tenant: string;
  readonly email: string;
  readonly role: string;
}

/** Who belongs to which tenant, as the host of the package knows it. */
export interface MemberDirectory {
  /** The tenants of a person, in the order in which they are shown. */
  membershipsOf(user: string): Promise<readonly PersonTenant[]>;
  /** Undefined for somebody who does not belong to the tenant. */
  identifyMember(member: { readonly tenant: string; readonly user: string }): Promise<object | undefined>;
  /** True when somebody of that address has an open invitation of any tenant. */
  isInvited(email: string): Promise<boolean>;
  /** The open invitation that a link names. */
  findInvitation(token: string): Promise<OpenInvitation | undefined>;
  /** Makes the person a member by the invitation of that link; without a link by every one of the address, which then is proven to be theirs. */
  acceptInvitations(person: { readonly user: string; readonly email: string }, token?: string): Promise<readonly OpenInvitation[]>;
}

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
  /** Milliseconds since the epoch. */
  readonly since: number;
}

/** What people have by themselves and in no tenant, as the host of the package keeps it. */
export interface AccountDirectory {
  listSessions(email: string): Promise<readonly PersonSession[]>;
  listClients(email: string): Promise<readonly PersonClient[]>;
  /** Takes back what a person allowed a program in a tenant. */
  withdraw(email: string, from: { readonly client: string; readonly tenant: string }): Promise<boolean>;
  /** The address that an open link for a new password is for. */
  findPasswordReset(token: string): Promise<string | undefined>;
  /** Sets a password, as its hash, by a link, which is then used up, and ends every session. False when the link is open no more. */
  takePasswordReset(taken: { readonly token: string; readonly hashed: string }): Promise<boolean>;
}
