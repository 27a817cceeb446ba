export { type GitCapabilityOptions, type GitLimits, gitCapability } from "./git-capability.ts";
