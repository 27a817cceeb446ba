import { clientCapability } from "@toolwright/doors/mcp/client";
import { createEngine, type Engine, type Logger } from "@toolwright/engine";
import type { LoadReport } from "@toolwright/engine/catalogue";
import { compilePolicy } from "@toolwright/engine/policy";
import type { ApprovalStore, SandboxRules } from "@toolwright/engine/ports";
import { type Store, unusedRecords } from "@toolwright/postgres";
import { execCapability, filesCapability, gitCapability, httpCapability, sweepAtStart } from "@toolwright/sandbox";
import { builtinTools } from "@toolwright/tools";
import type { ServerIo } from "./io.ts";
import { openKeyring } from "./machine/keyring.ts";
import { type Machine, openMachine } from "./machine/machine.ts";
import { machineFacts, type ProbedDriver } from "./machine/machine-facts.ts";
import type { LoadedPolicy } from "./policy-file/load-policy-file.ts";
import { followPolicy, type PolicyListener, readPolicy } from "./policy-file/read-policy.ts";
import { tellUnusedPolicy } from "./policy-file/tell-unused-policy.ts";
import { requireNamedTools, type Settings } from "./settings.ts";
import { rememberFolders } from "./state/conversation-folders.ts";
import { openState, type StoreUser } from "./state/open-state.ts";
import { createLogger } from "./text/create-logger.ts";
import { describeRemoved } from "./text/describe-removed.ts";
import { openToolFolder } from "./tool-folder/open-tool-folder.ts";
import { workspacesOf } from "./workspaces.ts";

export interface Toolwright {
  readonly engine: Engine;
  readonly settings: Settings;
  readonly logger: Logger;
  readonly approvals: ApprovalStore;
  readonly store: Store;
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
  /** Names under which others reach this server, which tools do not call. */
  readonly ownHosts?: readonly string[];
  /** Who uses the store, for whoever finds it in use. */
  readonly holder?: StoreUser;
}

/** Puts the product together: the only place that knows every part. */
export async function composeToolwright(settings: Settings, io: ServerIo, options: ComposeOptions = {}): Promise<Toolwright> {
  requireNamedTools(settings);
  const logger = createLogger(io);
  // First, and beside the store: to start a program takes longer the more the process that starts it holds.
  const machine = openMachine(io, logger);
  const looking = options.callsNothing || options.looksLater ? Promise.resolve() : machine.look();
  const opening = openState(settings, options.holder ?? { command: "command" }, logger);
  try {
    const [store] = await Promise.all([opening, looking]);
    return await composeOn(store, settings, io, { ...options, machine, logger });
  } catch (error) {
    await Promise.allSettled([looking.then(() => machine.close()), opening.then((store) => store.close())]);
    throw error;
  }
}

/** A container has the programs of its image, which need not be the search program. */
async function findSearcher(machine: Machine) {
  return (await machine.look()).find(({ driver, probe }) => probe.available && driver.traits.isolation !== "container")?.driver;
}

interface Composing extends ComposeOptions {
  readonly machine: Machine;
  readonly logger: Logger;
}

async function composeOn(store: Store, settings: Settings, io: ServerIo, { machine, logger, ...options }: Composing): Promise<Toolwright> {
  const workspaceOf = workspacesOf(settings, rememberFolders(settings.state));
  const { drivers } = machine;
  const { approvals, callTree, grants, limiter, idempotency, artifacts, sessions, policies } = store;
  let policy = await readPolicy(settings, io);
  tellUnusedPolicy(settings, io);
  options.refusePolicy?.(policy);
  let sandbox = compilePolicy(policy.tiers).sandbox;
  const whenNeeded = options.callsNothing || options.looksLater;
  const secrets = await store.openSecrets(openKeyring(io, settings, { whenNeeded }));
  const engine = createEngine({
    tools: builtinTools,
    policy: policy.tiers,
    capabilities: [
      filesCapability({ workspaceOf, driver: () => findSearcher(machine) }),
      execCapability({ workspaceOf, drivers }),
      httpCapability({ secrets, ...(options.ownHosts && { ownHosts: options.ownHosts }) }),
      gitCapability({ workspaceOf, drivers, secrets, logger }),
      clientCapability,
    ],
    ...{ approvals, callTree, grants, limiter, idempotency, artifacts, sessions, policies, clock: store.clock },
    events: store.events,
    secrets,
    tenants: store.tenants,
    visibility: store.catalogue.visibility,
    tenantTools: store.catalogue.tenantTools,
    environment: new Set(Object.keys(io.env)),
    machine: (rules) => machineFacts(machine.found, rules),
    logger,
  });
  const { onPolicy, refusePolicy: refuse } = options;
  const listener: PolicyListener = {
    onLoaded(loaded) {
      policy = loaded;
      sandbox = compilePolicy(loaded.tiers).sandbox;
      onPolicy?.onLoaded(loaded, { drivers: machine.found, sandbox });
    },
    onRefused: (error) => onPolicy?.onRefused(error),
  };
  const stopPolicy = onPolicy ? followPolicy(engine, policy, { settings, io, listener, places: settings.policyPlaces, refuse }) : () => {};
  const stopRetention = options.callsNothing ? undefined : startRetention(store, logger, options.onReload && settings);
  const folder = await loadTools(engine, settings, { ...options, io, logger });
  return {
    engine,
    settings,
    logger,
    approvals,
    store,
    lookAtMachine: machine.look,
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
    async close() {
      stopPolicy();
      folder.stop();
      await stopRetention?.();
      await engine.close();
      await machine.close();
      await store.close();
    },
  };
}

/** Whatever calls tools also sees to what is over: from time to time one of all processes removes it. */
function startRetention({ registry, retention }: Store, logger: Logger, swept: Settings | undefined): () => Promise<void> {
  const stopSweeping = swept && startSweeping(swept, logger);
  let closing = false;
  // One after the other: what is being noted is passed over by the removal, until it is due again.
  const started = registry
    .noteExpired()
    .catch((error: unknown) => logger.log("warn", "Which approvals expired could not be noted; it is tried again.", { error }))
    .then(() => {
      if (closing) return undefined;
      return retention.start((removed) => {
        const { [unusedRecords]: _, ...told } = removed;
        if (Object.keys(told).length > 0) logger.log("info", `Removed what was over: ${describeRemoved(told)}.`);
      });
    });
  return async () => {
    closing = true;
    const stop = await started;
    await stop?.();
    await stopSweeping?.();
  };
}

/** A process that stays removes what writes that were killed left in workspaces. */
function startSweeping({ workspace, tenantWorkspaces }: Settings, logger: Logger): () => Promise<void> {
  return sweepAtStart([workspace, tenantWorkspaces], (root, { removed, isComplete }) => {
    const rest = isComplete
      ? ""
      : " The folder has more entries than the sweep looks at; *.tmp files that begin with .toolwright_ may be left.";
    logger.log("info", `Removed ${removed} unfinished ${removed === 1 ? "file" : "files"} of interrupted writes below ${root}.${rest}`);
  });
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
