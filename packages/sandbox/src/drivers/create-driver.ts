import { constants } from "node:os";
import { type Logger, ToolwrightError } from "@toolwright/engine";
import {
  type Clock,
  createRandomIds,
  type DriverProbe,
  type DriverTraits,
  type Ids,
  type ProcessExit,
  type ProcessHandle,
  type ProcessSpec,
  type ResourceLimits,
  type SandboxDriver,
  silentLogger,
  systemClock,
} from "@toolwright/engine/ports";
import { type EgressOptions, type Gateway, noHosts, openGateway } from "../egress/open-gateway.ts";
import { proxyEnvironment } from "../egress/relay-loopback.ts";
import type { ControlGroups } from "../process/control-group-detection.ts";
import type { LaunchEnd, LaunchRequest } from "../process/launch-request.ts";
import { eraseRemains } from "../process/process-tree.ts";
import { Spawner } from "../process/spawner.ts";
import { ManagedProcess, type StartProblem, supervise } from "../process/supervise.ts";
import { chooseLimits, describeLimits, type LimitPlan, type Mechanisms, type PlanOptions, planLimits } from "./plan-limits.ts";
import { type PreparedSpec, prepareSpec, type Surroundings } from "./prepare-spec.ts";
import { encodeCommand, WarmPool } from "./warm-pool.ts";

const usualReadyMs = 30_000;

/** What every driver can be told. */
export interface DriverOptions {
  /** What holds where the policy names no limit. Default: half of the memory up to 4 GB, two processors, 256 processes, and more of the kind. */
  readonly defaultLimits?: ResourceLimits;
  /** Milliseconds between SIGTERM and SIGKILL. */
  readonly graceMs?: number;
  /** How a filtered network reaches what the policy permits. */
  readonly egress?: EgressOptions;
  /** Hears what the sandbox program or the system said when a command could not be started. */
  readonly logger?: Logger;
  readonly clock?: Clock;
  readonly ids?: Ids;
}

export interface Missing {
  readonly detail: string;
  readonly remedy?: string;
}

/** What a driver found on this machine. */
export interface Machine {
  /** Detail of what it found, such as a version. */
  readonly detail: string;
  /** How to get more. */
  readonly remedy?: string;
  readonly surroundings: Surroundings;
  readonly groups: ControlGroups;
  /** How a run of this process's own user is limited. */
  readonly mechanisms: Mechanisms;
  /** What starts the process that starts the others. */
  readonly spawnerPrefix?: readonly string[];
}

/** One start: its id, what its limits ask for, and the socket that leads out of a filtered network. */
export interface Run {
  readonly id: string;
  readonly plan: LimitPlan;
  readonly socket: string | undefined;
}

/** What a driver says to the spawner. The rest of the request is the same for all: groups, limits and mount points. */
type OwnRequest = Omit<LaunchRequest, "groups" | "scope" | "watch" | "placeholders" | "awaitsCommand" | "preloaded"> &
  Pick<Partial<LaunchRequest>, "preloaded">;

/** The arguments and facts of one command, found before anything of it is started. */
export interface Draft extends Pick<PlanOptions, "ownsTree" | "launcherProcesses"> {
  /** In place of the machine's. */
  readonly mechanisms?: Mechanisms;
  /** Workspace-relative; each becomes a mount point. */
  readonly placeholders: readonly string[];
  /** True where the sandbox is there before it is given its command. */
  readonly awaitsCommand?: boolean;
  /** Throws `spawn_failed` for what the driver has no way to write. */
  request(run: Run): OwnRequest;
  /** With it a sandbox is made ahead: commands of one key fit into the same one. */
  key?(chosen: ReturnType<typeof chooseLimits>): string;
  /** For `Posture.gaps`. */
  gaps(plan: LimitPlan): readonly string[];
}

/** What differs between drivers. */
interface DriverRecipe<Found extends Machine> {
  readonly name: string;
  readonly traits: DriverTraits;
  /** Milliseconds that a start may take. */
  readonly readyMs?: number;
  /** Sandboxes wait for their one command; a draft's key says which fits. */
  readonly warm?: { readonly size: number; readonly idleMs: number };
  /** Looks at the machine; called once. */
  find(): Found | Missing | Promise<Found | Missing>;
  /** Tells why a trial run failed. With it the probe makes one: a version number says nothing about what the kernel permits. */
  explainTrial?(problem: string): Missing;
  /** Throws `sandbox_unavailable` for a network that cannot be given. */
  checkNetwork?(spec: ProcessSpec, machine: Found): void;
  draft(prepared: PreparedSpec, machine: Found): Draft;
  /** Translates how the sandbox ended into how the command ended. */
  readonly readEnd?: (end: LaunchEnd) => Pick<ProcessExit, "exitCode" | "signal">;
}

/** What was made for one command, or ahead of it. */
interface Sandbox {
  readonly process: ManagedProcess;
  readonly plan: LimitPlan;
  readonly gateway: Gateway | undefined;
}

interface Driver<Found extends Machine> {
  readonly recipe: DriverRecipe<Found>;
  readonly options: DriverOptions;
  readonly machine: Found;
  readonly spawner: Spawner;
  readonly pool: WarmPool<Sandbox> | undefined;
  readonly clock: Clock;
  readonly ids: Ids;
}

/** Makes a driver of its recipe: each start prepares, drafts, plans, opens the way out, launches, waits and supervises. */
export function createDriver<Found extends Machine>(recipe: DriverRecipe<Found>, options: DriverOptions): SandboxDriver {
  let found: Promise<Driver<Found> | Missing> | undefined;
  const find = () => (found ??= findMachine(recipe, options));
  let probed: Promise<DriverProbe> | undefined;
  return {
    name: recipe.name,
    traits: recipe.traits,
    probe: () => (probed ??= find().then((driver) => probeMachine(driver, options))),
    start: async (spec) => {
      const driver = await find();
      if (!("machine" in driver)) throw unavailable(driver);
      return startRun(spec, driver);
    },
    close: async () => {
      const driver = await found;
      if (driver === undefined || !("machine" in driver)) return;
      driver.pool?.close();
      await driver.spawner.close();
    },
  };
}

async function findMachine<Found extends Machine>(recipe: DriverRecipe<Found>, options: DriverOptions): Promise<Driver<Found> | Missing> {
  const { clock = systemClock, ids = createRandomIds() } = options;
  const machine = await recipe.find();
  if (!("surroundings" in machine)) return machine;
  const spawner = new Spawner({ prefix: machine.spawnerPrefix ?? [], onLost: eraseRemains });
  const pool = recipe.warm && new WarmPool<Sandbox>({ clock, ...recipe.warm });
  return { recipe, options, machine, spawner, pool, clock, ids };
}

function unavailable({ detail, remedy }: Missing): ToolwrightError {
  return new ToolwrightError("sandbox_unavailable", `${detail}${remedy === undefined ? "" : ` To get it: ${remedy}`}`);
}

async function probeMachine<Found extends Machine>(driver: Driver<Found> | Missing, options: DriverOptions): Promise<DriverProbe> {
  if (!("machine" in driver)) return { available: false, limits: {}, ...driver };
  const { explainTrial } = driver.recipe;
  const problem = explainTrial && (await tryOnce(driver));
  if (problem !== undefined) return { available: false, limits: {}, ...explainTrial!(problem) };
  const { detail, remedy, mechanisms } = driver.machine;
  const described = describeLimits(mechanisms, options.defaultLimits);
  return { available: true, detail, ...described, ...(remedy === undefined ? {} : { remedy }) };
}

/** The whole way once. Resolves with why it failed. */
async function tryOnce<Found extends Machine>(driver: Driver<Found>): Promise<string | undefined> {
  const spec: ProcessSpec = {
    ...{ program: { argv: ["/bin/true"] }, workspace: "/usr", workdir: ".", writable: false, env: {}, network: "none" },
    ...{ limits: {}, protectedPaths: [], stdin: "closed", timeoutMs: usualReadyMs },
  };
  try {
    const { exit } = await (await startRun(spec, { ...driver, pool: undefined })).exited;
    return exit.exitCode === 0 ? undefined : `a trial run ended with ${exit.exitCode ?? exit.signal}`;
  } catch (error) {
    return (error as Error).message;
  }
}

async function startRun<Found extends Machine>(spec: ProcessSpec, driver: Driver<Found>): Promise<ProcessHandle> {
  const { recipe, options, machine, clock } = driver;
  recipe.checkNetwork?.(spec, machine);
  const variables = spec.network === "filtered" ? proxyEnvironment : {};
  const prepared = prepareSpec(spec, { ...machine.surroundings, variables });
  const draft = recipe.draft(prepared, machine);
  const { process, plan, gateway } = takeSandbox(prepared, draft, driver);
  if (draft.awaitsCommand) process.command(encodeCommand(prepared));
  const problem = await process.waitUntilReady(recipe.readyMs ?? usualReadyMs);
  if (problem !== undefined) throw failStart(recipe.name, problem, options.logger ?? silentLogger);
  const { isolation } = recipe.traits;
  const posture = { runtime: recipe.name, isolation, network: spec.network, limits: plan.posture, gaps: draft.gaps(plan) };
  return supervise({ process, spec, posture, clock, graceMs: options.graceMs ?? 2000, gateway, readEnd: recipe.readEnd });
}

function takeSandbox<Found extends Machine>(prepared: PreparedSpec, draft: Draft, driver: Driver<Found>): Sandbox {
  const { spec, workspace, owner } = prepared;
  const { machine, options, spawner, clock, ids, pool } = driver;
  const { mechanisms = machine.mechanisms, launcherProcesses = 0, ownsTree = false } = draft;
  const by = { mechanisms, launcherProcesses, ownsTree, groups: machine.groups, defaults: options.defaultLimits };
  const rules = spec.network === "filtered" ? (spec.networkRules ?? noHosts) : undefined;
  const make = (): Sandbox => {
    const id = ids.next("run");
    const plan = planLimits(id, { ...spec, workspace }, by);
    const gateway = rules && openGateway(rules, owner, options.egress);
    try {
      const own = draft.request({ id, plan, socket: gateway?.socket });
      const process = new ManagedProcess(spawner, completeRequest(own, { plan, workspace, draft }), clock);
      if (gateway) followSandbox(process, gateway);
      return { process, plan, gateway };
    } catch (error) {
      gateway?.close();
      throw error;
    }
  };
  if (pool === undefined || draft.key === undefined) return make();
  return pool.take(JSON.stringify([draft.key(chooseLimits(spec, by)), rules]), make);
}

interface Completing {
  readonly plan: LimitPlan;
  readonly workspace: string;
  readonly draft: Draft;
}

function completeRequest(own: OwnRequest, { plan, workspace, draft }: Completing): LaunchRequest {
  const { groups, scope, watch } = plan;
  const waiting = draft.awaitsCommand ? { awaitsCommand: true } : {};
  return { preloaded: [], ...own, ...waiting, groups, scope, watch, placeholders: { workspace, entries: draft.placeholders } };
}

/** Also one that nobody takes ends its gateway. */
function followSandbox(process: ManagedProcess, gateway: Gateway): void {
  void process.ready.then(gateway.hide);
  void process.ended.then(gateway.close);
}

/** Begins each sentence that our own scripts say on standard error, to tell it from what sandbox programs say. */
const ownWords = "toolwright: ";

/**
 * Why a command was not started. What a sandbox program said names folders and kernel facts of the host: it is for the operator's log, and
 * for no caller.
 */
function failStart(driver: string, problem: StartProblem, logger: Logger): ToolwrightError {
  const own = problem.said.split("\n").findLast((line) => line.startsWith(ownWords));
  logger.log("warn", `${driver} did not start a command.`, { said: problem.said, exitCode: problem.exitCode });
  const remedy = "Look into the server's log for what it said, and run `toolwright doctor`.";
  return new ToolwrightError(
    "spawn_failed",
    own?.slice(ownWords.length) ?? `The command was not started: ${driver} ${problem.why}. ${remedy}`,
  );
}

/** Sandboxes report a signal of the command as 128 plus its number, as shells do. */
export function readShellEnd({ exitCode, signal }: LaunchEnd): Pick<ProcessExit, "exitCode" | "signal"> {
  if (exitCode === null || exitCode <= 128) return { exitCode, signal };
  const name = Object.entries(constants.signals).find(([, number]) => number === exitCode - 128)?.[0];
  return name === undefined ? { exitCode, signal } : { exitCode: null, signal: name };
}
