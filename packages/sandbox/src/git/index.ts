export { type GitCapabilityOptions, type GitLimits, gitCapability } from "./git-capability.ts";
export type { GitCredentials, GitToken } from "./git-token.ts";
