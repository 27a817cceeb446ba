import { clientCapability } from "@toolwright/doors/mcp/client";
import type { CapabilityProvider, Logger } from "@toolwright/engine";
import type { SecretStore } from "@toolwright/engine/ports";
import { execCapability, filesCapability, gitCapability, httpCapability } from "@toolwright/sandbox";
import type { WorkspaceSite } from "../workspaces.ts";
import type { Machine } from "./machine.ts";

export interface MachineParts {
  readonly machine: Pick<Machine, "drivers" | "look">;
  readonly workspaceOf: (site: WorkspaceSite) => string;
  readonly secrets: SecretStore;
  /** Names under which others reach this server, which tools do not call. */
  readonly ownHosts?: readonly string[] | undefined;
  readonly logger: Logger;
}

/** What every server gives tools: files, commands, HTTP and git of its machine, and the client that calls. */
export function machineCapabilities(parts: MachineParts): readonly CapabilityProvider[] {
  const { machine, workspaceOf, secrets, ownHosts = [], logger } = parts;
  const { drivers } = machine;
  return [
    filesCapability({ workspaceOf, driver: () => findSearcher(machine) }),
    execCapability({ workspaceOf, drivers }),
    machineHttp(parts),
    gitCapability({ workspaceOf, drivers, secrets, ownHosts, logger }),
    clientCapability,
  ];
}

/** Guarded HTTP of this machine. */
export function machineHttp({ secrets, ownHosts }: Pick<MachineParts, "secrets" | "ownHosts">): CapabilityProvider<"http"> {
  return httpCapability({ secrets, ...(ownHosts && { ownHosts }) });
}

/** A container has the programs of its image, which need not be the search program. */
async function findSearcher(machine: Pick<Machine, "look">) {
  return (await machine.look()).find(({ driver, probe }) => probe.available && driver.traits.isolation !== "container")?.driver;
}
