import type { JsonObject } from "../contract/json.ts";
import { definePort } from "./define-port.ts";

/** A file that a policy was read from. */
export interface PolicySourceFile {
  /** Absolute. */
  readonly path: string;
  /** As it was read, which may be before its last change: one that is broken is not put in force. */
  readonly text: string;
}

/** The platform's policy that is in force. */
export interface PlatformPolicy {
  /** Members of a policy file, with those of the files that it includes. */
  readonly document: JsonObject;
  /** None for the built-in policy. */
  readonly files: readonly PolicySourceFile[];
}

/** Knows where the platform's policy comes from. */
export interface PolicySource {
  /** *Contract:* at once, and what is in force, not what stands in the files now. */
  current(): PlatformPolicy;
}

export const policySourcePort = definePort<PolicySource>()("policySource", "who knows the files of the policy, as @toolwright/server does");
