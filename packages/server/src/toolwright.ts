import type { Leaving } from "@toolwright/agents";
import type { Engine, Logger } from "@toolwright/engine";
import type { LoadReport } from "@toolwright/engine/catalogue";
import type { ApprovalStore, SandboxRules, SecretStore, Telemetry } from "@toolwright/engine/ports";
import type { Store } from "@toolwright/postgres";
import type { Embedders } from "./embedders/open-embedders.ts";
import type { ProbedDriver } from "./machine/machine-facts.ts";
import type { LoadedPolicy } from "./policy-file/load-policy-file.ts";
import type { PolicyListener } from "./policy-file/read-policy.ts";
import type { Settings } from "./settings.ts";
import type { StoreUser } from "./state/open-state.ts";
import type { CallMetrics } from "./telemetry/measure-calls.ts";

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
  /** Report of the last load of the tool folder; undefined without a tool folder. */
  readonly loaded: LoadReport | undefined;
  /** Counts of calls; undefined except in a server. */
  readonly metrics: CallMetrics | undefined;
  readonly telemetry: Telemetry | undefined;
  /** Begun by who ends the process and leaves turns of agents to others. */
  readonly leaving: Leaving;
  /** Models that turn memories and documents into vectors for search by meaning. */
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
  /** True for a server: counts calls and offers the counts as metrics. */
  readonly metrics?: boolean;
  /** Names under which others reach this server, which tools do not call. */
  readonly ownHosts?: readonly string[];
  /** Names this process in the error that another process gets while the store is in use. */
  readonly holder?: StoreUser;
}
