import type { ResourceLimits, SandboxRules } from "@toolwright/engine";
import type { ProbedRuntime } from "./machine-facts.ts";

export interface LimitsInForce {
  readonly limits: ResourceLimits;
  /** Limits that hold elsewhere by default and that this machine cannot give, in sentences. */
  readonly gaps: readonly string[];
}

/** The limits of commands: those of the policy, and the runtime's own where it names none. */
export function limitsInForce(probed: ProbedRuntime | undefined, { limits, tighterLimits = {} }: SandboxRules): LimitsInForce {
  const held: Record<string, number> = { ...probed?.probe.defaults, ...limits };
  for (const [name, value] of Object.entries(tighterLimits)) held[name] = Math.min(value, held[name] ?? value);
  return { limits: held, gaps: probed?.probe.gaps ?? [] };
}
