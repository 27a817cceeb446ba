import type { SandboxRules } from "@toolwright/engine/ports";
import { describeAmounts, limitsInForce } from "./limits-in-force.ts";
import { findDriver, machineFacts, type ProbedDriver } from "./machine-facts.ts";

interface Posture {
  readonly drivers: readonly ProbedDriver[];
  readonly sandbox: SandboxRules;
}

/** One line: what commands run in under the policy in force, or why they are refused. */
export function describeSandbox({ drivers, sandbox }: Posture): string {
  const { available, detail } = machineFacts(drivers, sandbox).sandbox;
  const { limits, gaps } = limitsInForce(findDriver(drivers, sandbox), sandbox);
  if (!available) return `none, so commands are refused (${detail}); more: toolwright doctor`;
  const network = { none: "no network", host: "the network of this machine", filtered: "only the hosts that the policy allows" }[
    sandbox.network
  ];
  const held = describeAmounts(limits);
  const missing = gaps.length > 0 ? `. ${gaps.join(" ")} More: toolwright doctor` : "";
  return `commands run in ${detail}, with ${network}${held === "" ? "" : `; at most ${held}`}${missing}`;
}
