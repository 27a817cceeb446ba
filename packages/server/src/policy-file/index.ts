export { describePosition } from "./join-files.ts";
export { capabilitiesToLook, factsOf, loadDefinitions } from "./load-definitions.ts";
export {
  describeProblems,
  documentOf,
  type LoadedPolicy,
  type LoadPolicyOptions,
  loadPolicyFile,
  PolicyFileError,
} from "./load-policy-file.ts";
export { readLines } from "./read-calls.ts";
export { type ReadDocument, readDocument } from "./read-document.ts";
export { readPolicy } from "./read-policy.ts";
export type { LocatedProblem, MemberPath, PolicyPosition } from "./read-policy-text.ts";
export { readTenantPolicy } from "./read-tenant-policy.ts";
