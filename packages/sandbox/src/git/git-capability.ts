import { basename } from "node:path";
import type { CapabilityProvider } from "@toolwright/engine";
import { createRandomIds, silentLogger, systemClock } from "@toolwright/engine/ports";
import { fingerprintPath } from "../binding/fingerprint-path.ts";
import { bestAnchoring } from "../files/anchor.ts";
import { expandForbidden } from "../files/workspace.ts";
import { createDial } from "../http/dial.ts";
import { resolveWithSystem } from "../http/resolve-target.ts";
import { cloneRepository } from "./clone-repository.ts";
import type { GitCapabilityOptions, GitLimits } from "./git-options.ts";

const defaults: GitLimits = { timeoutMs: 120_000, maxOutputBytes: 5_000_000, maxBytes: 2 ** 31 };

/** Clones repositories into the workspace. */
export function gitCapability(options: GitCapabilityOptions): CapabilityProvider<"git"> {
  const { secrets, drivers, clock = systemClock, ids = createRandomIds(), logger = silentLogger } = options;
  const { resolve = resolveWithSystem, connect = createDial(), anchoring = bestAnchoring, ownHosts = [] } = options;
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
      const environment = { site, workspace, secrets, drivers, limits, resolve, connect, ownHosts, clock, logger };
      return { clone: (spec) => cloneRepository(environment, spec) };
    },
    workspace: (caller) => basename(options.workspaceOf(caller)),
    async fingerprint(reach, caller) {
      return reach.kind === "path" ? fingerprintPath(() => options.workspaceOf(caller), reach) : undefined;
    },
  };
}
