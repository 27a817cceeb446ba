import { existsSync } from "node:fs";
import { defaultPolicy, type Engine, type PolicyTier } from "@toolwright/engine";
import { compilePolicy } from "@toolwright/engine/policy";
import { digest } from "@toolwright/engine/ports";
import type { ServerIo } from "../io.ts";
import { refuseInWorkspace, type Settings, type WorkspaceFolders } from "../settings.ts";
import { type LoadedPolicy, type LoadPolicyOptions, loadPolicyFile } from "./load-policy-file.ts";
import { watchPolicyFile } from "./watch-policy-file.ts";

type Place = WorkspaceFolders & Pick<Settings, "policyFile">;

/** The policy of the settings' file, or the built-in one. Rejects with the file, the place in it and what to do. */
export async function readPolicy(
  settings: Place,
  io: Pick<ServerIo, "cwd">,
  options: Pick<LoadPolicyOptions, "untested"> = {},
): Promise<LoadedPolicy> {
  if (settings.policyFile === undefined) return builtInPolicy();
  return loadPolicyFile(settings.policyFile, { ...loadingFor(settings, io), ...options });
}

function builtInPolicy(): LoadedPolicy {
  const { version, ...file } = defaultPolicy;
  const tiers: readonly PolicyTier[] = [{ tier: "platform", document: defaultPolicy }];
  const { revision } = compilePolicy(tiers);
  return { tiers, file, files: [], sources: [], revision, fingerprint: digest(tiers), positionOf: () => undefined };
}

/** Never from a workspace, neither the file nor what it includes (R-AP-8). */
function loadingFor(places: Place, { cwd }: Pick<ServerIo, "cwd">): LoadPolicyOptions {
  return { cwd, refuse: (path) => refuseInWorkspace(path, { what: "policy file", places, remedy: "--policy or include" }) };
}

/** Hears which policy is in force after its file changed. */
export interface PolicyListener {
  onLoaded(policy: LoadedPolicy): void;
  /** The last good one stays in force. */
  onRefused(error: Error): void;
}

interface Following {
  readonly settings: Place;
  readonly io: Pick<ServerIo, "cwd">;
  readonly listener: PolicyListener;
  /** Where a policy may appear when none was named; the first that is there counts. */
  readonly places?: readonly string[] | undefined;
  /** Throws for one that must not be put in force here. */
  readonly refuse?: ((policy: LoadedPolicy) => void) | undefined;
}

/** Puts the policy file in force again after each change; returns how to stop. */
export function followPolicy(
  engine: Pick<Engine, "setPolicy">,
  first: LoadedPolicy,
  { settings, io, listener, places = [], refuse }: Following,
): () => void {
  // One that was there stays the policy's file when it is gone: no file is no reason to fall back to the built-in policy.
  let file = settings.policyFile;
  const locate = () => {
    file = places.find((place) => existsSync(place)) ?? file;
    return file;
  };
  return watchPolicyFile(locate, first, {
    ...loadingFor(settings, io),
    places,
    onLoaded: (loaded) => {
      refuse?.(loaded);
      engine.setPolicy(loaded.tiers);
      listener.onLoaded(loaded);
    },
    onRefused: (error) => listener.onRefused(error),
  });
}
