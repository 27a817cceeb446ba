export type { ApiKeyRecord, NewApiKey } from "./api-keys.ts";
export type { Identified } from "./identified.ts";
export { looksLikeKey } from "./identify-key.ts";
export { createIdentity, type Identity, type IdentityOptions } from "./identity.ts";
export type { Invitation } from "./invitations.ts";
export type { Member } from "./members.ts";
export type { Membership } from "./memberships-of.ts";
export { builtinRoles } from "./permissions.ts";
export type { TenantRecord } from "./tenants.ts";
