export { type AccountSession, type Accounts, type ConnectedClient, createAccounts } from "./accounts.ts";
export type { EndedAccess } from "./end-access.ts";
export { createIdentity } from "./identity.ts";
export type { PasswordReset } from "./password-resets.ts";
