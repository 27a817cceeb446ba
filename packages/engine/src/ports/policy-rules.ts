import type { HostRules } from "@toolwright/commands/targets";
import type { NetworkAccess } from "../contract/posture.ts";
import type { ResourceLimits } from "./sandbox-runtime.ts";

/** The policy's word on paths, for the adapter that opens files. */
export interface PathRules {
  /** Absolute prefixes; `~` is expanded by the adapter. */
  readonly forbidden: readonly string[];
}

/** The policy's word on hosts, for the adapter that opens sockets. */
export interface NetworkRules extends HostRules {
  /** Address ranges (CIDR) that are open although they are not public. */
  readonly allowRanges: readonly string[];
}

/** The policy's word on where processes run. */
export interface SandboxRules {
  /** Name of the runtime: `bwrap`, `host`, ... `auto` takes the strongest that is there, never less than `namespaces` isolation. */
  readonly mode: string;
  readonly network: NetworkAccess;
  readonly unavailable: "refuse" | "ask";
  /** Of the highest tier, which may raise them above what holds by default. */
  readonly limits: ResourceLimits;
  /** Of lower tiers, where the highest says nothing: they only narrow. */
  readonly tighterLimits?: ResourceLimits;
  /** Milliseconds. */
  readonly timeoutMs: number;
  /** Bytes of stdout and of stderr that a result holds. */
  readonly maxOutputBytes: number;
}
