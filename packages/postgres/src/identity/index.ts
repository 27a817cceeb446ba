export { type Accounts, createAccounts } from "./accounts.ts";
export { createIdentity } from "./identity.ts";
