import { type GitNeed, gitNeedOf } from "@toolwright/commands";
import { type Anomaly, type CallSite, ToolwrightError } from "@toolwright/engine";
import type { CommandSpec, DriverProbe, ProcessHandle, ProcessSpec, SandboxDriver, SandboxRules } from "@toolwright/engine/ports";
import { type GuardedRun, guardRun, type WatchedProcess, watchMetadata } from "../git-metadata/guard-metadata.ts";
import { findUncontained } from "../uncontained/find-uncontained.ts";
import { confineMoves, confineWorkdir } from "./confine-workdir.ts";
import { type CommandInFolder, comparesWorkTree, findGitUse, type GitUse, judgeGitUse } from "./git-use.ts";
import { type Launch, launchParts } from "./launch-parts.ts";
import { openFolders, type RunFolders } from "./open-folders.ts";
import { valuesOf, valuesOfRemotes, type WorkspaceSurvey, type WorkspaceView, type WorkspaceViews } from "./workspace-view.ts";

/** What the operator decided about all commands. */
export interface LaunchSettings {
  /** Strongest first. */
  readonly drivers: readonly SandboxDriver[];
  /** Absolute host path of the workspace of a call. */
  readonly workspaceOf: (site: Pick<CallSite, "principal" | "session">) => string;
  readonly protectedPaths: readonly string[];
  readonly views: WorkspaceViews;
  /** Variables beside `commandEnvironment`. */
  readonly environment: Readonly<Record<string, string>>;
}

/**
 * Judges a command, finds its driver and folder, and starts it. Where git metadata can be sealed, a list that mixes git with other programs runs
 * part by part, each with the access that it needs.
 */
export async function launchCommand(settings: LaunchSettings, site: CallSite, launch: Launch): Promise<WatchedProcess> {
  judgeCommand(site, launch.spec);
  const chosen = await chooseDriver(settings.drivers, site);
  const isSealed = sealsMetadata(chosen.driver, site);
  // What is typed in belongs to one shell.
  const need = gitNeedOf(launch.spec.command);
  const parts = isSealed && launch.stdin === "closed" ? need.parts : undefined;
  if (!parts) return launchJudged(settings, site, { ...launch, ...chosen, need, isFirst: true });
  const start = (part: Launch, isFirst: boolean) =>
    launchJudged(settings, site, { ...part, ...chosen, need: gitNeedOf(part.spec.command), isFirst });
  return launchParts(parts, launch, start);
}

/** The driver can keep git metadata from being written, and the policy wants it. */
function sealsMetadata({ traits }: SandboxDriver, { sandbox }: Pick<CallSite, "sandbox">): boolean {
  return traits.isolation !== "none" && sandbox.git === "sealed";
}

/** One run in all the folders that it may write in. */
function joinRuns(own: GuardedRun, { runs, gaps }: RunFolders): GuardedRun {
  const all = [own, ...runs];
  return {
    sealedPaths: own.sealedPaths,
    gaps: [...all.flatMap((run) => run.gaps), ...gaps],
    check: async () => (await Promise.all(all.map((run) => run.check()))).flat(),
    end: async () => (await Promise.all(all.map((run) => run.end()))).flat(),
  };
}

interface JudgedLaunch extends Launch, ChosenDriver {
  readonly need: GitNeed;
  /** False for a further part of a line, whose call may have ended. */
  readonly isFirst: boolean;
}

async function launchJudged(settings: LaunchSettings, site: CallSite, launch: JudgedLaunch): Promise<WatchedProcess> {
  const { driver, network, need, isFirst } = launch;
  const workspace = settings.workspaceOf(site);
  const workdir = await confineWorkdir(workspace, launch.spec.workdir);
  await confineMoves(workspace, workdir, launch.spec.command);
  const placed = { command: launch.spec.command, workspace, workdir, contained: driver.traits.isolation !== "none" };
  const { hiddenPaths, sayHidden, survey } = await limitView(settings.views, site, placed);
  if (isFirst) site.signal.throwIfAborted();
  const access = { access: need.access, approved: site.approved, seals: sealsMetadata(driver, site) };
  const opened = site.paths.roots?.length ? await openFolders(settings.views, site, { workspace, seals: access.seals }) : undefined;
  const own = await guardRun(workspace, access, survey);
  const run = opened ? joinRuns(own, opened) : own;
  const spec = {
    program: { shell: launch.spec.command },
    workspace,
    workdir,
    writable: true,
    env: { ...commandEnvironment, ...settings.environment },
    network,
    ...(network === "filtered" && { networkRules: site.network }),
    limits: site.sandbox.limits,
    ...(site.sandbox.tighterLimits && { tighterLimits: site.sandbox.tighterLimits }),
    protectedPaths: settings.protectedPaths,
    sealedPaths: run.sealedPaths,
    hiddenPaths,
    ...(opened && { folders: opened.folders }),
    stdin: launch.stdin,
    timeoutMs: launch.timeoutMs,
  };
  const started = await driver.start(spec).catch(async (error: unknown) => {
    for (const anomaly of await run.end()) site.reportAnomaly(anomaly);
    throw error;
  });
  const handle = watchMetadata(sayHidden(started), run, need);
  handle.onOutput(launch.onOutput);
  if (!isFirst) return handle;
  if (site.signal.aborted) handle.kill("cancelled");
  site.reportPosture(handle.posture);
  return handle;
}

function judgeCommand(site: CallSite, { command, workdir }: CommandSpec): void {
  const decision = site.judge({ kind: "command", command, workdir: workdir ?? null });
  if (decision.effect === "allow") return;
  const late =
    decision.effect === "ask" ? "It would need a person's approval, which cannot be asked for any more at this point." : undefined;
  const parts = ["The command was not run.", decision.reason, late, decision.remedy];
  throw new ToolwrightError("command_refused", parts.filter((part) => part !== undefined).join(" "), {
    details: { effect: decision.effect, rule: decision.rule, revision: decision.revision },
  });
}

const gitOverrides: readonly [key: string, value: string][] = [
  ["core.fsmonitor", "false"],
  ["core.hooksPath", "/dev/null"],
  ["core.pager", "cat"],
  // Signatures are checked by a program that the repository may name.
  ["log.showSignature", "false"],
  // A folder that looks like a bare repository brings its own configuration; git then works on it without being asked to.
  ["safe.bareRepository", "explicit"],
];

/**
 * What every command finds in its environment beside what the driver itself sets. Git reads no configuration that runs programs
 * on commands which only look (R-GT-4), nothing asks questions on a terminal, and nothing pages.
 */
export const commandEnvironment: Readonly<Record<string, string>> = {
  TERM: "dumb",
  NO_COLOR: "1",
  PAGER: "cat",
  GIT_PAGER: "cat",
  // Nobody sits there to write a message; without one git says that it is missing. It also stands above an editor of the repository.
  GIT_EDITOR: "true",
  GIT_SEQUENCE_EDITOR: "true",
  GIT_TERMINAL_PROMPT: "0",
  // Empty stands above a program of the repository and one of SSH_ASKPASS.
  GIT_ASKPASS: "",
  GIT_OPTIONAL_LOCKS: "0",
  GIT_CONFIG_NOSYSTEM: "1",
  GIT_CONFIG_GLOBAL: "/dev/null",
  GIT_CONFIG_COUNT: String(gitOverrides.length),
  ...Object.fromEntries(
    gitOverrides.flatMap(([key, value], index) => [
      [`GIT_CONFIG_KEY_${index}`, key] as const,
      [`GIT_CONFIG_VALUE_${index}`, value] as const,
    ]),
  ),
};

/** What a run must not see, and how its result says so. */
interface LimitedView {
  readonly hiddenPaths: readonly string[];
  /** What the workspace held. */
  readonly survey: WorkspaceSurvey;
  sayHidden(handle: ProcessHandle): ProcessHandle;
}

/**
 * Hides the credential files of the workspace from a run that no person approved as a whole, and keeps their values, and those in addresses of
 * remotes, out of its output. Refuses a line that a caution speaks against: it was judged before, so the workspace has changed since.
 */
async function limitView(
  views: WorkspaceViews,
  site: Pick<CallSite, "approved" | "taint">,
  { workspace, ...placed }: Required<CommandInFolder> & { readonly workspace: string },
): Promise<LimitedView> {
  const view = await views.look(workspace);
  for (const value of valuesOfRemotes(view)) site.taint(value);
  if (site.approved) return { hiddenPaths: [], survey: view.survey, sayHidden: (handle) => handle };
  const [caution] = placed.contained
    ? judgeGitUse(view, placed)
    : await findUncontained({ workspaceOf: () => workspace, views: { look: async () => view } }, placed, ["links", "credentials"]);
  if (caution)
    throw new ToolwrightError("command_refused", `The command was not run. ${caution.reason} ${caution.remedy}`, {
      details: { effect: "ask", rule: caution.rule },
    });
  for (const value of valuesOf(view)) site.taint(value);
  const use = findGitUse(view, placed);
  const hiddenPaths = selectHidden(view, use);
  const note = hiddenPaths.length > 0 && needsFiles(use, placed.command) ? noteOn(hiddenPaths) : undefined;
  return { hiddenPaths, survey: view.survey, sayHidden: (handle) => (note ? withAnomaly(handle, note) : handle) };
}

function selectHidden({ credentials }: WorkspaceView, use: GitUse | undefined): readonly string[] {
  const kept = use && comparesWorkTree(use) ? (use.tracked ?? []) : [];
  const isKept = (path: string) => kept.some((tracked) => tracked.path === path || tracked.path.startsWith(`${path}/`));
  return credentials.map(({ path }) => path).filter((path) => !isKept(path));
}

/** Commands that have no use for the content of a file. */
const contentless = /^\s*(?:ls|pwd|echo|true|mkdir|cd|which|date|stat|du|df|whoami|uname)\b[^|;&<>]*$/;

/** True when what is hidden may be missed. */
function needsFiles(use: GitUse | undefined, command: string): boolean {
  if (use?.line.isPure) return use.line.commands.some(({ subcommand }) => /^(?:add|commit|stash|grep)$/.test(subcommand));
  return !contentless.test(command);
}

const shownNames = 3;

function noteOn(paths: readonly string[]): Anomaly {
  const names = paths.slice(0, shownNames).map((path) => JSON.stringify(path));
  const more = paths.length > shownNames ? `, and ${paths.length - shownNames} more` : "";
  const what = paths.length === 1 ? "A credential file was empty" : `${paths.length} credential files were empty`;
  return {
    kind: "credentials_hidden",
    message: `${what} for this command, which nobody approved: ${names.join(", ")}${more}. Have the call approved if it needs them.`,
  };
}

function withAnomaly(handle: ProcessHandle, note: Anomaly): ProcessHandle {
  const exited = handle.exited.then((report) => ({ ...report, anomalies: [...report.anomalies, note] }));
  return { ...handle, exited };
}

/** A driver, and the network it will give. */
interface ChosenDriver {
  readonly driver: SandboxDriver;
  readonly network: ProcessSpec["network"];
}

/**
 * The driver that the policy demands, or `sandbox_unavailable` with what would help. `auto` takes the first of `drivers` (strongest first)
 * that isolates and is there. Something weaker is taken only when the policy asks a person about it and that person approved (R-SB-3).
 */
export async function chooseDriver(
  drivers: readonly SandboxDriver[],
  { sandbox: rules, approved }: Pick<CallSite, "sandbox" | "approved">,
): Promise<ChosenDriver> {
  const candidates =
    rules.mode === "auto"
      ? drivers.filter((driver) => driver.traits.isolation !== "none")
      : drivers.filter((driver) => driver.name === rules.mode);
  const problems = candidates.length === 0 ? [`Known drivers: ${drivers.map(({ name }) => name).join(", ") || "none"}.`] : [];
  for (const driver of candidates) {
    const problem = await findProblem(driver, rules.network);
    if (problem === undefined) return { driver, network: rules.network };
    problems.push(problem);
  }
  const weaker = rules.unavailable === "ask" && approved ? await findWeaker(drivers, candidates) : undefined;
  if (weaker) return weaker;
  throw refuse(rules, problems);
}

/** The strongest of the others that is there, with the most closed network that it can give. */
async function findWeaker(drivers: readonly SandboxDriver[], refused: readonly SandboxDriver[]): Promise<ChosenDriver | undefined> {
  for (const driver of drivers.filter((other) => !refused.includes(other))) {
    const network = driver.traits.networks.includes("none") ? "none" : "host";
    if ((await findProblem(driver, network)) === undefined) return { driver, network };
  }
  return undefined;
}

async function findProblem(driver: SandboxDriver, network: ProcessSpec["network"]): Promise<string | undefined> {
  if (!driver.traits.networks.includes(network)) return `${driver.name} cannot give the network "${network}".`;
  const probe = await driver.probe();
  return probe.available ? undefined : describe(driver.name, probe);
}

function describe(name: string, { detail, remedy }: DriverProbe): string {
  return remedy === undefined ? `${name}: ${detail}` : `${name}: ${detail} To get it: ${remedy}`;
}

function refuse(rules: SandboxRules, problems: readonly string[]): ToolwrightError {
  const message = `The policy demands the sandbox "${rules.mode}" with network "${rules.network}", which cannot be had here, so nothing was run. ${problems.join(" ")}`;
  return new ToolwrightError("sandbox_unavailable", message, { details: { mode: rules.mode, problems } });
}
