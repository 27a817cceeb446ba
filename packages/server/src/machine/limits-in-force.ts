import type { ResourceLimits, SandboxRules } from "@toolwright/engine/ports";
import type { ProbedDriver } from "./machine-facts.ts";

interface LimitsInForce {
  readonly limits: ResourceLimits;
  /** Limits that hold elsewhere by default and that this machine cannot give, in sentences. */
  readonly gaps: readonly string[];
}

/** The limits of commands: those of the policy, and the driver's own where it names none. */
export function limitsInForce(probed: ProbedDriver | undefined, { limits, tighterLimits = {} }: SandboxRules): LimitsInForce {
  const held: Record<string, number> = { ...probed?.probe.defaults, ...limits };
  for (const [name, value] of Object.entries(tighterLimits)) held[name] = Math.min(value, held[name] ?? value);
  return { limits: held, gaps: probed?.probe.gaps ?? [] };
}

const sizeOf = (megabytes: number) => (megabytes >= 1024 && megabytes % 1024 === 0 ? `${megabytes / 1024} GB` : `${megabytes} MB`);
const texts: Readonly<Record<keyof ResourceLimits, (value: number) => string>> = {
  memoryMb: (value) => `${sizeOf(value)} of memory`,
  cpuPercent: (value) => (value % 100 === 0 ? `${value / 100} cores` : `${value} % of a core`),
  processes: (value) => `${value} processes`,
  fileSizeMb: (value) => `${sizeOf(value)} a file`,
  openFiles: (value) => `${value} open files`,
  writtenMb: (value) => `${sizeOf(value)} written`,
};

/** For people: "4 GB of memory, 2 cores". Empty without limits. */
export function describeAmounts(limits: ResourceLimits): string {
  const names = Object.keys(texts) as (keyof ResourceLimits)[];
  return names.flatMap((name) => (limits[name] === undefined ? [] : texts[name](limits[name]))).join(", ");
}
