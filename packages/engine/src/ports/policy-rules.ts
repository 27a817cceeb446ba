import type { HostRules } from "@toolwright/commands/targets";
import type { NetworkAccess } from "../contract/posture.ts";

/** The policy's word on paths, for the adapter that opens files. */
export interface PathRules {
  /** Absolute prefixes; `~` is expanded by the adapter. */
  readonly forbidden: readonly string[];
  /** Folders beside the workspace that calls reach by their absolute paths. Default: none. */
  readonly roots?: readonly PathRoot[];
}

/** A folder of the machine that the policy opens beside the workspace, with all that lies below it. */
export interface PathRoot {
  /** Absolute, from `/`; without a slash at its end. */
  readonly path: string;
  readonly access: "read" | "write";
}

/** The policy's word on hosts, for the adapter that opens sockets. */
export interface NetworkRules extends HostRules {
  /** Address ranges (CIDR) that are open although they are not public. */
  readonly allowRanges: readonly string[];
}

/**
 * Limits on what runs in one workspace at the same time. What a policy names and the machine cannot enforce is refused
 * (`limit_unenforceable`), never dropped; for what it does not name the driver has a default, or says in the posture that there is none.
 */
export interface ResourceLimits {
  readonly memoryMb?: number;
  /** 100 is one core. */
  readonly cpuPercent?: number;
  readonly processes?: number;
  readonly fileSizeMb?: number;
  readonly openFiles?: number;
  /** All that one run writes to disks, added up. */
  readonly writtenMb?: number;
}

/** The policy's word on where processes run. */
export interface SandboxRules {
  /** Name of the sandbox driver: `bwrap`, `host`, ... `auto` takes the strongest that is there, never less than `namespaces` isolation. */
  readonly mode: string;
  readonly network: NetworkAccess;
  readonly unavailable: "refuse" | "ask";
  /** `sealed`: only git commands change git metadata. `writable`: every command may, and what git would obey is compared after the run. */
  readonly git: "sealed" | "writable";
  /** Limits of the highest tier, which may raise the default limits. */
  readonly limits: ResourceLimits;
  /** Limits of lower tiers, where the highest says nothing: they only narrow. */
  readonly tighterLimits?: ResourceLimits;
  /** Milliseconds. */
  readonly timeoutMs: number;
  /** Bytes of stdout and of stderr that a result holds. */
  readonly maxOutputBytes: number;
}
