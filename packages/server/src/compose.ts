import { Leaving } from "@toolwright/agents";
import type { Engine, Logger } from "@toolwright/engine";
import type { LoadReport, SyncReport, ToolSync } from "@toolwright/engine/catalogue";
import { compilePolicy } from "@toolwright/engine/policy";
import type { ApprovalStore, MasterKeys, SandboxRules, SecretStore, Telemetry } from "@toolwright/engine/ports";
import type { Store } from "@toolwright/postgres";
import { assembleEngine } from "./assemble-engine.ts";
import { builtInTools } from "./built-in-tools.ts";
import { type Embedders, openEmbedders } from "./embedders/open-embedders.ts";
import { Ends } from "./ends.ts";
import type { ServerIo } from "./io.ts";
import { type LocalKeyring, openKeyring } from "./machine/keyring.ts";
import { type Machine, openMachine } from "./machine/machine.ts";
import type { ProbedDriver } from "./machine/machine-facts.ts";
import { masterKeys } from "./machine/master-keys.ts";
import { documentOf, type LoadedPolicy } from "./policy-file/load-policy-file.ts";
import { locateRule } from "./policy-file/locate-rule.ts";
import { followPolicy, type PolicyListener, readPolicy } from "./policy-file/read-policy.ts";
import { startRetention, startSweeping } from "./retention.ts";
import { requireNamedTools, type Settings, tellUnusedPolicy } from "./settings.ts";
import { openAgentFiles } from "./state/agent-files.ts";
import { rememberFolders } from "./state/conversation-folders.ts";
import { inspectStore } from "./state/inspect-store.ts";
import { openState, type StoreUser } from "./state/open-state.ts";
import type { CallMetrics } from "./telemetry/measure-calls.ts";
import { openTelemetry } from "./telemetry/open-telemetry.ts";
import { openLogger } from "./text/open-logger.ts";
import { openToolFolder } from "./tool-folder/open-tool-folder.ts";
import { trimWhenIdle } from "./trim-when-idle.ts";
import { workspacesOf } from "./workspaces.ts";

export { skillPrompts } from "./agents/skill-prompts.ts";

export { startLoops } from "./capabilities/start-loops.ts";

export interface Toolwright {
  readonly engine: Engine;
  readonly settings: Settings;
  readonly logger: Logger;
  readonly approvals: ApprovalStore;
  readonly store: Store;
  readonly secrets: SecretStore;
  /** Strongest first; none until the machine was looked at. */
  readonly drivers: readonly ProbedDriver[];
  /** Finds out what commands can run in here, where that was left for later. */
  lookAtMachine(): Promise<unknown>;
  /** The one in force now. */
  readonly policy: LoadedPolicy;
  /** What the policy in force now demands of the sandbox. */
  readonly sandbox: SandboxRules;
  /** Of the folder of tools, the last time it was loaded; undefined without one. */
  readonly loaded: LoadReport | undefined;
  /** Of a server. */
  readonly metrics: CallMetrics | undefined;
  readonly telemetry: Telemetry | undefined;
  /** Begun by who ends the process and leaves turns of agents to others. */
  readonly leaving: Leaving;
  /** Of what is found by meaning in the store. */
  readonly embedders: Embedders;
  close(): Promise<void>;
}

/** Hears which policy is in force after its file changed or appeared, and what commands run in under it. */
export interface PolicyObserver extends Pick<PolicyListener, "onRefused"> {
  onLoaded(policy: LoadedPolicy, posture: Pick<Toolwright, "drivers" | "sandbox">): void;
}

export interface ComposeOptions {
  /** Loads the folder of tools again after each change, and reports. */
  readonly onReload?: (report: LoadReport) => void;
  /** Puts the policy file in force again after each change, and reports. */
  readonly onPolicy?: PolicyObserver;
  /** Throws for a policy that must not be in force here: at first, and after each change, when the one before stays in force. */
  readonly refusePolicy?: ((policy: LoadedPolicy) => void) | undefined;
  /** For commands that call nothing: the sandbox is not looked at, which takes most of a second on a busy machine. */
  readonly callsNothing?: boolean;
  /** For commands that know only later whether something needs the sandbox: they say so with `lookAtMachine`. */
  readonly looksLater?: boolean;
  /** For a server: calls are counted, for whoever scrapes. */
  readonly metrics?: boolean;
  /** Names under which others reach this server, which tools do not call. */
  readonly ownHosts?: readonly string[];
  /** Who uses the store, for whoever finds it in use. */
  readonly holder?: StoreUser;
}

/** Puts the product together: the only place that knows every part. */
export async function composeToolwright(settings: Settings, io: ServerIo, options: ComposeOptions = {}): Promise<Toolwright> {
  requireNamedTools(settings);
  const logger = await openLogger(io);
  // First, and beside the store: to start a program takes longer the more the process that starts it holds.
  const machine = openMachine(io, logger, options.ownHosts);
  const looking = options.callsNothing || options.looksLater ? Promise.resolve() : machine.look();
  const opening = openState(settings, options.holder ?? { command: "command", brief: options.callsNothing }, logger);
  const ends = new Ends();
  ends.add(async () => (await opening).close());
  ends.add(() => machine.close());
  try {
    const [store] = await Promise.all([opening, looking]);
    return await composeOn(store, settings, io, { ...options, machine, logger, ends });
  } catch (error) {
    await ends.close().catch(() => undefined);
    throw error;
  }
}

interface Composing extends ComposeOptions {
  readonly ends: Ends;
  readonly machine: Machine;
  readonly logger: Logger;
}

async function composeOn(
  store: Store,
  settings: Settings,
  io: ServerIo,
  { machine, logger, ends, ...options }: Composing,
): Promise<Toolwright> {
  const workspaceOf = workspacesOf(settings, rememberFolders(settings.state));
  let policy = await readPolicy(settings, io);
  tellUnusedPolicy(settings, io);
  options.refusePolicy?.(policy);
  let sandbox = compilePolicy(policy.tiers).sandbox;
  const keyring = openKeyring(io, settings, { whenNeeded: options.callsNothing || options.looksLater });
  const secrets = await store.openSecrets(keyring);
  const observed = await openTelemetry({ env: io.env, logger, clock: store.clock, metrics: options.metrics ?? false });
  ends.add(() => observed.close());
  const embedder = await settings.openEmbedder?.();
  const { embedders, close: closeEmbedders } = openEmbedders(settings, secrets);
  ends.add(closeEmbedders);
  const leaving = new Leaving();
  const engine = assembleEngine({
    ...(embedder && { embedder }),
    ...(observed.telemetry && { telemetry: observed.telemetry }),
    ...{ store, secrets, tenantKeys: secrets.tenantKeys, machine, workspaceOf, logger, env: io.env, ownHosts: options.ownHosts },
    tools: builtInTools,
    policy: policy.tiers,
    ...{ model: settings.model, search: settings.search, leaving, ...embedders },
    locateRule: (rule) => locateRule(policy, rule),
    operator: operatorPorts({
      store,
      settings,
      io,
      machine,
      keyring,
      secrets,
      policy: () => policy,
      sync: () => syncTools(store, { engine, folder, options }),
    }),
  });
  ends.add(() => engine.close());
  const { onPolicy, refusePolicy: refuse } = options;
  const listener = listenTo(onPolicy, machine, (loaded, rules) => {
    policy = loaded;
    sandbox = rules;
  });
  startUpkeep(store, settings, { ...options, ends, logger });
  if (onPolicy) ends.add(followPolicy(engine, policy, { settings, io, listener, places: settings.policyPlaces, refuse }));
  const folder = await loadTools(engine, settings, { ...options, io, logger });
  ends.add(folder.stop);
  return {
    engine,
    settings,
    logger,
    approvals: store.approvals,
    store,
    secrets,
    lookAtMachine: machine.look,
    metrics: observed.metrics,
    telemetry: observed.telemetry,
    leaving,
    embedders,
    get drivers() {
      return machine.found;
    },
    get sandbox() {
      return sandbox;
    },
    get policy() {
      return policy;
    },
    get loaded() {
      return folder.loaded;
    },
    close: () => ends.close(),
  };
}

interface Upkeep extends ComposeOptions {
  readonly ends: Ends;
  readonly logger: Logger;
}

function startUpkeep(store: Store, settings: Settings, { callsNothing, onReload, ends, logger }: Upkeep): void {
  if (callsNothing) return;
  ends.add(startRetention(store, { logger, isSoonOver: !onReload }));
  if (!onReload) return;
  ends.add(startSweeping([settings.workspace, settings.tenantWorkspaces], logger));
  ends.add(trimWhenIdle());
}

interface OperatorParts {
  readonly store: Store;
  readonly settings: Settings;
  readonly io: ServerIo;
  readonly machine: Machine;
  readonly keyring: LocalKeyring;
  readonly secrets: Pick<MasterKeys, "check" | "rotate">;
  /** The one in force now. */
  readonly policy: () => LoadedPolicy;
  readonly sync: ToolSync["sync"];
}

/** What only whoever runs the server has operations on. */
function operatorPorts({ store, settings, io, machine, keyring, secrets, policy, sync }: OperatorParts) {
  return {
    toolSync: { sync },
    agentFiles: openAgentFiles(settings),
    store: inspectStore(store, settings),
    masterKeys: masterKeys(keyring, secrets),
    policySource: { current: () => ({ document: documentOf(policy()), files: policy().sources }) },
    machine: {
      // Loaded when it is asked for: most commands and servers never are.
      examine: async () => (await import("./machine/examine-machine.ts")).examineMachine({ machine, io, settings: () => settings, store }),
    },
  };
}

function listenTo(
  observer: PolicyObserver | undefined,
  machine: Machine,
  take: (policy: LoadedPolicy, sandbox: SandboxRules) => void,
): PolicyListener {
  return {
    onLoaded(policy) {
      const { sandbox } = compilePolicy(policy.tiers);
      take(policy, sandbox);
      observer?.onLoaded(policy, { drivers: machine.found, sandbox });
    },
    onRefused: (error) => observer?.onRefused(error),
  };
}

interface Syncing {
  readonly engine: Engine;
  readonly folder: { readonly loaded: LoadReport | undefined };
  readonly options: ComposeOptions;
}

async function syncTools(store: Store, { engine, folder, options }: Syncing): Promise<SyncReport> {
  const complete = (folder.loaded?.problems.length ?? 0) === 0;
  const report = await store.catalogue.sync(engine.snapshot(), { complete });
  // A process that is soon over serves nobody.
  if (!options.onReload) await store.catalogue.leave();
  return report;
}

interface Loading extends ComposeOptions {
  readonly io: ServerIo;
  readonly logger: Logger;
}

async function loadTools(
  engine: Engine,
  settings: Settings,
  { onReload, io, logger }: Loading,
): Promise<{ readonly loaded: LoadReport | undefined; stop: () => void }> {
  const onWatchError = (error: Error) =>
    logger.log("warn", `${settings.tools} cannot be watched, so changes need a restart.`, { error: error.message });
  const source = await openToolFolder(settings, io, { onWatchError, watches: onReload !== undefined });
  if (source === undefined) return { loaded: undefined, stop: () => {} };
  if (!onReload) return { loaded: await engine.load(source), stop: () => {} };
  let last: LoadReport | undefined;
  const stop = await engine.watch(source, (report) => {
    // Until there is a folder of tools, every change beside it counts as one of it.
    if (last && !(isEmpty(last) && isEmpty(report))) onReload(report);
    last = report;
  });
  return {
    get loaded() {
      return last;
    },
    stop,
  };
}

function isEmpty({ loaded, problems }: LoadReport): boolean {
  return loaded.length === 0 && problems.length === 0;
}
