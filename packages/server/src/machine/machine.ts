import type { Logger } from "@toolwright/engine";
import type { SandboxRuntime } from "@toolwright/engine/ports";
import { createBwrapRuntime, createDockerRuntime, createHostRuntime, createNsjailRuntime } from "@toolwright/sandbox";
import type { ServerIo } from "../io.ts";
import type { ProbedRuntime } from "./machine-facts.ts";

/** What commands could run in on this machine, and what can be had of it. */
export interface Machine {
  /** All that are known, strongest first. */
  readonly runtimes: readonly SandboxRuntime[];
  /** What each of them said of this machine; empty until it was looked at. */
  readonly found: readonly ProbedRuntime[];
  /** Asks them, once: that starts programs. */
  look(): Promise<readonly ProbedRuntime[]>;
  close(): Promise<void>;
}

export function openMachine({ env }: Pick<ServerIo, "env">, logger: Logger): Machine {
  const engineEnvironment: Record<string, string> = env.DOCKER_HOST ? { DOCKER_HOST: env.DOCKER_HOST } : {};
  const container = createDockerRuntime({ image: env.TOOLWRIGHT_IMAGE || undefined, engineEnvironment, logger });
  const runtimes = [createBwrapRuntime({ logger }), createNsjailRuntime({ logger }), container, createHostRuntime({ logger })];
  let found: readonly ProbedRuntime[] = [];
  let looking: Promise<readonly ProbedRuntime[]> | undefined;
  const askAll = async () => {
    found = await Promise.all(runtimes.map(async (runtime) => ({ runtime, probe: await runtime.probe() })));
    return found;
  };
  return {
    runtimes,
    get found() {
      return found;
    },
    look() {
      looking ??= askAll();
      return looking;
    },
    async close() {
      await looking?.catch(() => undefined);
      await Promise.all(runtimes.map((runtime) => runtime.close()));
    },
  };
}
