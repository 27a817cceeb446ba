import type { MachineFacts } from "@toolwright/engine/policy";
import type { DriverProbe, SandboxDriver, SandboxRules } from "@toolwright/engine/ports";

/** One driver and what it said about this machine. */
export interface ProbedDriver {
  readonly driver: SandboxDriver;
  readonly probe: DriverProbe;
}

const named = (drivers: readonly ProbedDriver[], { mode }: SandboxRules) =>
  drivers.filter(({ driver }) => (mode === "auto" ? driver.traits.isolation !== "none" : driver.name === mode));

/** What commands run in under these rules; undefined where it cannot be had. */
export function findDriver(drivers: readonly ProbedDriver[], rules: SandboxRules): ProbedDriver | undefined {
  return named(drivers, rules).find(({ probe, driver }) => probe.available && driver.traits.networks.includes(rules.network));
}

/** Whether the driver that the policy names can be had, for decisions that depend on it. */
export function machineFacts(drivers: readonly ProbedDriver[], rules: SandboxRules): MachineFacts {
  const available = findDriver(drivers, rules);
  if (available) {
    const { driver, probe } = available;
    const contains = driver.traits.isolation === "none" ? { contains: [] } : {};
    return { sandbox: { available: true, detail: `${driver.name}: ${probe.detail}`, ...contains } };
  }
  return {
    sandbox: {
      available: false,
      detail:
        named(drivers, rules)
          .map((candidate) => explainAbsence(candidate, rules))
          .join(" ") || "no driver of that name is known",
    },
  };
}

function explainAbsence({ driver, probe }: ProbedDriver, { network }: SandboxRules): string {
  if (!probe.available) return `${driver.name}: ${probe.detail}${probe.remedy ? ` ${probe.remedy}` : ""}`;
  return `${driver.name} cannot give the network "${network}"`;
}
