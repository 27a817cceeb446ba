import type { MachineFacts, RuntimeProbe, SandboxRules, SandboxRuntime } from "@toolwright/engine";

/** One runtime and what it said about this machine. */
export interface ProbedRuntime {
  readonly runtime: SandboxRuntime;
  readonly probe: RuntimeProbe;
}

/** Whether the runtime that the policy names can be had, for decisions that depend on it. */
export function machineFacts(runtimes: readonly ProbedRuntime[], rules: SandboxRules): MachineFacts {
  const named = runtimes.filter(({ runtime }) =>
    rules.mode === "auto" ? runtime.traits.isolation !== "none" : runtime.name === rules.mode,
  );
  const available = named.find(({ probe, runtime }) => probe.available && runtime.traits.networks.includes(rules.network));
  if (available) return { sandbox: { available: true, detail: `${available.runtime.name}: ${available.probe.detail}` } };
  return {
    sandbox: {
      available: false,
      detail: named.map((candidate) => explainAbsence(candidate, rules)).join(" ") || "no runtime of that name is known",
    },
  };
}

function explainAbsence({ runtime, probe }: ProbedRuntime, { network }: SandboxRules): string {
  if (!probe.available) return `${runtime.name}: ${probe.detail}${probe.remedy ? ` ${probe.remedy}` : ""}`;
  return `${runtime.name} cannot give the network "${network}"`;
}
