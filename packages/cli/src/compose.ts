import { join, relative } from "node:path";
import {
  type ApprovalStore,
  compilePolicy,
  createEngine,
  type Engine,
  type LoadReport,
  type Logger,
  type SandboxRules,
} from "@toolwright/engine";
import {
  createBwrapRuntime,
  createDockerRuntime,
  createHostRuntime,
  createNsjailRuntime,
  execCapability,
  filesCapability,
  httpCapability,
} from "@toolwright/sandbox";
import { builtinTools } from "@toolwright/tools";
import type { Io } from "./io.ts";
import { machineFacts, type ProbedRuntime } from "./machine/machine-facts.ts";
import { createLogger } from "./output/create-logger.ts";
import { followPolicy, type PolicyListener, readPolicy } from "./policy-file/read-policy.ts";
import type { Settings } from "./settings.ts";
import { createFileApprovalStore } from "./state/file-approval-store.ts";
import { createFileArtifactStore } from "./state/file-artifact-store.ts";
import { createFileGrantStore } from "./state/file-grant-store.ts";
import { createFolderSource } from "./tool-folder/folder-source.ts";

export interface Toolwright {
  readonly engine: Engine;
  readonly settings: Settings;
  readonly logger: Logger;
  readonly approvals: ApprovalStore;
  /** Strongest first. */
  readonly runtimes: readonly ProbedRuntime[];
  /** What the policy demands of the sandbox. */
  readonly sandbox: SandboxRules;
  /** Of the folder of tools; undefined without one. */
  readonly loaded: LoadReport | undefined;
  close(): Promise<void>;
}

export interface ComposeOptions {
  /** Loads the folder of tools again after each change, and reports. */
  readonly onReload?: (report: LoadReport) => void;
  /** Puts the policy file in force again after each change, and reports. */
  readonly onPolicy?: PolicyListener;
  /** For commands that call nothing: the sandbox is not looked at, which takes most of a second on a busy machine. */
  readonly callsNothing?: boolean;
}

/** Puts the product together: the only place that knows every part. */
export async function composeToolwright(settings: Settings, io: Io, options: ComposeOptions = {}): Promise<Toolwright> {
  const logger = createLogger(io);
  const runtimes = options.callsNothing ? [] : await probeRuntimes(io);
  const workspaceOf = () => settings.workspace;
  // A container has the programs of its image, which need not be the search program.
  const searcher = runtimes.find(({ runtime, probe }) => probe.available && runtime.traits.isolation !== "container")?.runtime;
  const approvals = createFileApprovalStore(join(settings.state, "approvals"));
  const policy = await readPolicy(settings, io);
  const engine = createEngine({
    tools: builtinTools,
    policy: policy.tiers,
    capabilities: [
      filesCapability({ workspaceOf, ...(searcher && { runtime: searcher }) }),
      execCapability({ workspaceOf, runtimes: runtimes.map(({ runtime }) => runtime) }),
      httpCapability(),
    ],
    approvals,
    grants: createFileGrantStore(join(settings.state, "grants")),
    artifacts: createFileArtifactStore(join(settings.state, "artifacts")),
    environment: new Set(Object.keys(io.env)),
    machine: (rules) => machineFacts(runtimes, rules),
    logger,
  });
  const { onPolicy } = options;
  const stopPolicy = onPolicy ? followPolicy(engine, policy, { settings, io, listener: onPolicy }) : () => {};
  const folder = await loadTools(engine, settings, { ...options, cwd: io.cwd, logger });
  return {
    engine,
    settings,
    logger,
    approvals,
    runtimes,
    sandbox: compilePolicy(policy.tiers).sandbox,
    loaded: folder.loaded,
    async close() {
      stopPolicy();
      folder.stop();
      await engine.close();
      await Promise.all(runtimes.map(({ runtime }) => runtime.close()));
    },
  };
}

export async function probeRuntimes({ env }: Pick<Io, "env">): Promise<ProbedRuntime[]> {
  const engineEnvironment: Record<string, string> = env.DOCKER_HOST === undefined ? {} : { DOCKER_HOST: env.DOCKER_HOST };
  const container = createDockerRuntime({ image: env.TOOLWRIGHT_IMAGE, engineEnvironment });
  const runtimes = [createBwrapRuntime(), createNsjailRuntime(), container, createHostRuntime()];
  return Promise.all(runtimes.map(async (runtime) => ({ runtime, probe: await runtime.probe() })));
}

interface Loading extends ComposeOptions {
  readonly cwd: string;
  readonly logger: Logger;
}

async function loadTools(
  engine: Engine,
  { tools }: Settings,
  { onReload, cwd, logger }: Loading,
): Promise<{ loaded: LoadReport | undefined; stop: () => void }> {
  if (tools === undefined) return { loaded: undefined, stop: () => {} };
  const shown = relative(cwd, tools);
  const onWatchError = (error: Error) =>
    logger.log("warn", `${tools} cannot be watched, so changes need a restart.`, { error: error.message });
  const source = { ...createFolderSource(tools, { onWatchError }), name: shown.startsWith("..") || shown === "" ? tools : shown };
  if (!onReload) return { loaded: await engine.load(source), stop: () => {} };
  let first: LoadReport | undefined;
  const stop = await engine.watch(source, (report) => {
    if (first) onReload(report);
    else first = report;
  });
  return { loaded: first, stop };
}
