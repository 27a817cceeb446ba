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
