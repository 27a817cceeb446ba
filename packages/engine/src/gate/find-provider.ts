import type { CapabilityName, CapabilityProvider } from "../ports/capability.ts";
import type { Call } from "./call.ts";
import type { GateParts } from "./gate-parts.ts";

/** The door's own provider for this call, else the engine's. */
export function findProvider(name: CapabilityName, call: Call, parts: Pick<GateParts, "capabilities">): CapabilityProvider | undefined {
  return call.options.capabilities?.find((candidate) => candidate.name === name) ?? parts.capabilities.get(name);
}
