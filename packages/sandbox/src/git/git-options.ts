import type { CallSite, Logger } from "@toolwright/engine";
import type { Clock, Ids, SandboxDriver, SecretStore } from "@toolwright/engine/ports";
import type { Anchoring } from "../files/anchor.ts";
import type { Dial } from "../http/dial.ts";
import type { Resolve } from "../http/resolve-target.ts";

export interface GitLimits {
  /** Milliseconds for one clone. Default two minutes. */
  readonly timeoutMs: number;
  /** Bytes that git may say. Default 5 MB. */
  readonly maxOutputBytes: number;
  /** Bytes that a server may send. Default 2 GiB. */
  readonly maxBytes: number;
}

export interface GitCapabilityOptions {
  /** Absolute host path of the workspace of a call. */
  readonly workspaceOf: (site: Pick<CallSite, "principal" | "session">) => string;
  /** Strongest first; git runs in the one that the policy demands. */
  readonly drivers: readonly SandboxDriver[];
  /** Holds the tokens that a clone may name in `credential`. Default: none. */
  readonly secrets?: SecretStore;
  readonly limits?: Partial<GitLimits>;
  /** Default: the system's resolver. Asked once for each clone. */
  readonly resolve?: Resolve;
  /** Default: `createDial()`. Gets checked addresses only. */
  readonly connect?: Dial;
  /** Names under which others reach this server, which nothing is cloned from. */
  readonly ownHosts?: readonly string[];
  readonly anchoring?: Anchoring;
  readonly clock?: Clock;
  readonly ids?: Ids;
  readonly logger?: Logger;
}
