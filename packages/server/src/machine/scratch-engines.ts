import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { clientCapability } from "@toolwright/doors/mcp/client";
import { type CapabilityProvider, type EngineOptions, type Logger, ToolwrightError } from "@toolwright/engine";
import { execCapability, filesCapability } from "@toolwright/sandbox";
import type { ServerIo } from "../io.ts";
import { openMachine } from "./machine.ts";
import { machineFacts } from "./machine-facts.ts";

/** What engines need that try tools out: each has an empty workspace of its own, the sandbox of this machine, and no network. */
export interface ScratchEngines {
  make(): Promise<Pick<EngineOptions, "capabilities" | "environment" | "machine">>;
  /** Ends what runs, and removes the workspaces. */
  close(): Promise<void>;
}

export async function openScratchEngines(io: Pick<ServerIo, "env">, logger: Logger): Promise<ScratchEngines> {
  const machine = openMachine(io, logger);
  await machine.look();
  const environment = new Set(Object.keys(io.env));
  const folders: string[] = [];
  return {
    async make() {
      const workspace = await mkdtemp(join(tmpdir(), "toolwright-scratch-"));
      folders.push(workspace);
      const workspaceOf = () => workspace;
      const capabilities = [
        filesCapability({ workspaceOf }),
        execCapability({ workspaceOf, drivers: machine.drivers }),
        ...["http", "git"].map(offline),
        clientCapability,
      ];
      return { capabilities, environment, machine: (rules) => machineFacts(machine.found, rules) };
    },
    async close() {
      await machine.close();
      await Promise.all(folders.map((folder) => rm(folder, { recursive: true, force: true })));
    },
  };
}

/** A tool that is only tried out sends nothing to anybody. */
function offline(name: string): CapabilityProvider {
  return {
    name: name as CapabilityProvider["name"],
    open() {
      throw new ToolwrightError("effect_refused", "Tools that are tried out have no network.");
    },
  };
}
