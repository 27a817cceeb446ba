export { gitCapability } from "./git-capability.ts";
export type { GitCapabilityOptions, GitLimits } from "./git-options.ts";
