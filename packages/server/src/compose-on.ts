import { Leaving } from "@toolwright/agents";
import type { Engine, Logger } from "@toolwright/engine";
import type { LoadReport, SyncReport, ToolSync } from "@toolwright/engine/catalogue";
import { compilePolicy } from "@toolwright/engine/policy";
import type { MasterKeys, SandboxRules } from "@toolwright/engine/ports";
import type { Store } from "@toolwright/postgres";
import { assembleEngine } from "./assemble-engine.ts";
import { builtInTools } from "./built-in-tools.ts";
import { openEmbedders } from "./embedders/open-embedders.ts";
import type { Ends } from "./ends.ts";
import type { ServerIo } from "./io.ts";
import { type LocalKeyring, openKeyring } from "./machine/keyring.ts";
import type { Machine } from "./machine/machine.ts";
import { masterKeys } from "./machine/master-keys.ts";
import { documentOf, type LoadedPolicy } from "./policy-file/load-policy-file.ts";
import { locateRule } from "./policy-file/locate-rule.ts";
import { followPolicy, type PolicyListener, readPolicy } from "./policy-file/read-policy.ts";
import { startRetention, startSweeping } from "./retention.ts";
import { type Settings, tellUnusedPolicy } from "./settings.ts";
import { openAgentFiles } from "./state/agent-files.ts";
import { rememberFolders } from "./state/conversation-folders.ts";
import { inspectStore } from "./state/inspect-store.ts";
import { openTelemetry } from "./telemetry/open-telemetry.ts";
import { openToolFolder } from "./tool-folder/open-tool-folder.ts";
import type { ComposeOptions, PolicyObserver, Toolwright } from "./toolwright.ts";
import { trimWhenIdle } from "./trim-when-idle.ts";
import { workspacesOf } from "./workspaces.ts";

interface Composing extends ComposeOptions {
  readonly ends: Ends;
  readonly machine: Machine;
  readonly logger: Logger;
}

/** On an open store: the only place that knows every part. */
export async function composeOn(
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

/** Ports of the operations that only operators can use. */
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
