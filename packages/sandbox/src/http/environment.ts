import type { CallSite } from "@toolwright/engine";
import type { Clock, SecretStore } from "@toolwright/engine/ports";
import type { Dial } from "./dial.ts";
import type { Resolve } from "./resolve-target.ts";

/** What one handle works with. */
export interface HttpEnvironment {
  readonly resolve: Resolve;
  readonly dial: Dial;
  readonly clock: Clock;
  readonly secrets: SecretStore | undefined;
  readonly site: CallSite;
  readonly access: "read" | "write";
  /** Host rules of the effect; undefined adds nothing to the policy's. */
  readonly hosts: readonly string[] | undefined;
  /** Names under which the engine itself is reached. */
  readonly ownHosts: readonly string[];
}
