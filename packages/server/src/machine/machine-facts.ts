import type { MachineFacts } from "@toolwright/engine/policy";
import type { RuntimeProbe, SandboxRules, SandboxRuntime } from "@toolwright/engine/ports";

/** One runtime and what it said about this machine. */
export interface ProbedRuntime {
  readonly runtime: SandboxRuntime;
  readonly probe: RuntimeProbe;
}

const named = (runtimes: readonly ProbedRuntime[], { mode }: SandboxRules) =>
  runtimes.filter(({ runtime }) => (mode === "auto" ? runtime.traits.isolation !== "none" : runtime.name === mode));

/** What commands run in under these rules; undefined where it cannot be had. */
export function findRuntime(runtimes: readonly ProbedRuntime[], rules: SandboxRules): ProbedRuntime | undefined {
  return named(runtimes, rules).find(({ probe, runtime }) => probe.available && runtime.traits.networks.includes(rules.network));
}

/** Whether the runtime that the policy names can be had, for decisions that depend on it. */
export function machineFacts(runtimes: readonly ProbedRuntime[], rules: SandboxRules): MachineFacts {
  const available = findRuntime(runtimes, rules);
  if (available) return { sandbox: { available: true, detail: `${available.runtime.name}: ${available.probe.detail}` } };
  return {
    sandbox: {
      available: false,
      detail:
        named(runtimes, rules)
          .map((candidate) => explainAbsence(candidate, rules))
          .join(" ") || "no runtime of that name is known",
    },
  };
}

function explainAbsence({ runtime, probe }: ProbedRuntime, { network }: SandboxRules): string {
  if (!probe.available) return `${runtime.name}: ${probe.detail}${probe.remedy ? ` ${probe.remedy}` : ""}`;
  return `${runtime.name} cannot give the network "${network}"`;
}
