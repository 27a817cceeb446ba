import type { Logger } from "@toolwright/engine";
import type { SandboxDriver } from "@toolwright/engine/ports";
import { createBwrapDriver, createDockerDriver, createHostDriver, createNsjailDriver } from "@toolwright/sandbox";
import type { ServerIo } from "../io.ts";
import type { ProbedDriver } from "./machine-facts.ts";

/** What commands could run in on this machine, and what can be had of it. */
export interface Machine {
  /** All that are known, strongest first. */
  readonly drivers: readonly SandboxDriver[];
  /** What each of them said of this machine; empty until it was looked at. */
  readonly found: readonly ProbedDriver[];
  /** Asks them, once: that starts programs. */
  look(): Promise<readonly ProbedDriver[]>;
  close(): Promise<void>;
}

/** @param ownHosts - names under which others reach this server, which no filtered network leads to. */
export function openMachine({ env }: Pick<ServerIo, "env">, logger: Logger, ownHosts: readonly string[] = []): Machine {
  const egress = { ownHosts };
  const engineEnvironment: Record<string, string> = env.DOCKER_HOST ? { DOCKER_HOST: env.DOCKER_HOST } : {};
  const container = createDockerDriver({ image: env.TOOLWRIGHT_IMAGE || undefined, engineEnvironment, egress, logger });
  const drivers = [createBwrapDriver({ egress, logger }), createNsjailDriver({ egress, logger }), container, createHostDriver({ logger })];
  let found: readonly ProbedDriver[] = [];
  let looking: Promise<readonly ProbedDriver[]> | undefined;
  const askAll = async () => {
    found = await Promise.all(drivers.map(async (driver) => ({ driver, probe: await driver.probe() })));
    return found;
  };
  return {
    drivers,
    get found() {
      return found;
    },
    look() {
      looking ??= askAll();
      return looking;
    },
    async close() {
      await looking?.catch(() => undefined);
      await Promise.all(drivers.map((driver) => driver.close()));
    },
  };
}
