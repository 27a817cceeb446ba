import type { CallSite, CapabilityProvider, Logger } from "@toolwright/engine";
import {
  type Clock,
  createRandomIds,
  type Ids,
  type SandboxRuntime,
  type SecretStore,
  silentLogger,
  systemClock,
} from "@toolwright/engine/ports";
import { fingerprintPath } from "../binding/fingerprint-path.ts";
import { type Anchoring, bestAnchoring } from "../files/anchor.ts";
import { expandForbidden } from "../files/workspace.ts";
import { createDial, type Dial } from "../http/dial.ts";
import { type Resolve, resolveWithSystem } from "../http/resolve-target.ts";
import { cloneRepository } from "./clone-repository.ts";

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
  readonly runtimes: readonly SandboxRuntime[];
  /** Holds the tokens that a clone may name in `credential`. Default: none. */
  readonly secrets?: SecretStore;
  readonly limits?: Partial<GitLimits>;
  /** Default: the system's resolver. Asked once for each clone. */
  readonly resolve?: Resolve;
  /** Default: `createDial()`. Gets checked addresses only. */
  readonly connect?: Dial;
  readonly anchoring?: Anchoring;
  readonly clock?: Clock;
  readonly ids?: Ids;
  readonly logger?: Logger;
}

const defaults: GitLimits = { timeoutMs: 120_000, maxOutputBytes: 5_000_000, maxBytes: 2 ** 31 };

/** Clones repositories into the workspace. */
export function gitCapability(options: GitCapabilityOptions): CapabilityProvider<"git"> {
  const { secrets, runtimes, clock = systemClock, ids = createRandomIds(), logger = silentLogger } = options;
  const { resolve = resolveWithSystem, connect = createDial(), anchoring = bestAnchoring } = options;
  const limits = { ...defaults, ...options.limits };
  return {
    name: "git",
    open(_effect, site) {
      const workspace = {
        root: options.workspaceOf({ principal: site.principal, session: site.session }),
        forbidden: expandForbidden(site.paths.forbidden),
        anchoring,
        maxFileBytes: 0,
        ids,
        signal: site.signal,
        mayTouch: (path: string, access: "read" | "write" | "delete") => site.judge({ kind: "path", path, access }).effect === "allow",
        onStep: () => {},
      };
      const environment = { site, workspace, secrets, runtimes, limits, resolve, connect, clock, logger };
      return { clone: (spec) => cloneRepository(environment, spec) };
    },
    async fingerprint(reach, caller) {
      return reach.kind === "path" ? fingerprintPath(() => options.workspaceOf(caller), reach) : undefined;
    },
  };
}
