import type { NetworkRules, ProcessSpec } from "@toolwright/engine/ports";

/** What a filtered network permits when nobody says what. */
export const noHosts: NetworkRules = { allow: [], deny: [], allowRanges: [] };

/** What the network of a run leaves open, in sentences for `Posture.gaps`. */
export function networkGaps({ network, networkRules = noHosts }: Pick<ProcessSpec, "network" | "networkRules">): string[] {
  if (network === "host") return ["The command had the host's network, loopback services included."];
  if (network === "none") return [];
  const gaps = ["Of what goes to a permitted host only the host and the port were judged: the command could send it anything."];
  if (networkRules.allow === undefined) gaps.push("Every public host was permitted, because network.allow of the policy names none.");
  return gaps;
}
