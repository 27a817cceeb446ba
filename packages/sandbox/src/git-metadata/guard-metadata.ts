import { realpath } from "node:fs/promises";
import type { GitAccess, GitNeed } from "@toolwright/commands";
import { quotePath } from "@toolwright/commands/targets";
import type { Anomaly } from "@toolwright/engine";
import type { ProcessHandle } from "@toolwright/engine/ports";
import { surveyWorkspace, type WorkspaceSurvey } from "../exec/workspace-view.ts";
import { disarm } from "./disarm.ts";
import { HeldWorkspace, identify } from "./hold-folder.ts";
import { type Charge, type Inspection, inspectMetadata, type SavedFile } from "./inspect-metadata.ts";

interface MetadataAccess {
  /** What the command line may do; from `gitAccessOf`. */
  readonly access: GitAccess;
  /** A person approved the line, so settings that it makes are theirs. */
  readonly approved: boolean;
  /** The driver can keep paths from being written. */
  readonly seals: boolean;
}

/** One run, as the guard of its workspace knows it. */
export interface GuardedRun {
  /** Workspace-relative; they exist, and the run must neither write nor replace them. */
  readonly sealedPaths: readonly string[];
  /** For the posture. */
  readonly gaps: readonly string[];
  /** Compares while the run goes on. Never rejects. */
  check(): Promise<readonly Anomaly[]>;
  /** Compares after the run. Never rejects; later calls find nothing. */
  end(): Promise<readonly Anomaly[]>;
}

interface ActiveRun extends MetadataAccess {
  /** Identities of what it cannot write, by path. */
  readonly sealed: ReadonlyMap<string, string>;
  /** Folders on the way to these: they cannot be renamed either. */
  readonly pinned: ReadonlySet<string>;
}

interface Look {
  readonly survey: WorkspaceSurvey;
  readonly inspection: Inspection;
}

/** Each is a mount, and so are the folders above it. */
const mostSeals = 200;
const mostRounds = 8;
const keptGuards = 64;

/** Within a repository whose branches and objects may change. */
const settledNames = ["config", "config.worktree", "hooks", "info", "commondir", "gitdir", "objects/info/alternates"];

const guards = new Map<string, MetadataGuard>();

/**
 * Prepares a run in a workspace: what is sealed in it, and what is compared after it. Shared by everything that runs in the same folder.
 * @param survey - of a moment ago, to save a second look.
 */
export async function guardRun(workspace: string, access: MetadataAccess, survey?: WorkspaceSurvey): Promise<GuardedRun> {
  const root = await realpath(workspace);
  const guard = guards.get(root) ?? new MetadataGuard(root);
  guards.delete(root);
  guards.set(root, guard);
  for (const [path, { isUnused }] of guards) if (guards.size > keptGuards && isUnused && path !== root) guards.delete(path);
  return guard.begin(access, survey?.root === root ? survey : undefined);
}

/**
 * Keeps what a run leaves in a workspace from being obeyed by git on the host (R-GT-5). Metadata that exists is sealed for the run. What git
 * would run or be led by is compared after it, as nothing prevents a run from making metadata, and the host from replacing what is sealed.
 */
class MetadataGuard {
  readonly #root: string;
  readonly #runs = new Set<ActiveRun>();
  /** What was there before the runs, or has been accepted since: marks by path. */
  #accepted = new Map<string, Set<string>>();
  #saved: ReadonlyMap<string, SavedFile> = new Map();
  #queue: Promise<unknown> = Promise.resolve();
  #waiting = 0;
  #settledAt = 0;

  constructor(root: string) {
    this.#root = root;
  }

  /** Nothing runs, and nothing waits to: a run that began under a forgotten guard would be unknown to the next one. */
  get isUnused(): boolean {
    return this.isIdle && this.#waiting === 0;
  }

  get isIdle(): boolean {
    return this.#runs.size === 0;
  }

  begin(access: MetadataAccess, survey: WorkspaceSurvey | undefined): Promise<GuardedRun> {
    // What other runs did since, and what was put back after them, a survey from before does not show.
    const isCurrent = this.isUnused && survey !== undefined && survey.begunAt > this.#settledAt;
    const known = isCurrent ? survey : undefined;
    return this.#inTurn(async () => {
      const early = this.isIdle ? [] : await this.#compare();
      using workspace = new HeldWorkspace(this.#root);
      const look = await this.#look(workspace, known);
      if (this.isIdle) this.#accept(look.inspection);
      const wanted = access.seals ? chooseSeals(look, access.access, workspace) : [];
      const sealedPaths = wanted.filter((path) => this.#isSafeToMount(path)).slice(0, mostSeals);
      const run = { ...access, ...describeSeals(workspace, sealedPaths) };
      this.#runs.add(run);
      const gaps = describeGaps(look, access, wanted.length - sealedPaths.length);
      return { sealedPaths, gaps, check: () => this.#check(), end: once(() => this.#end(run), early) };
    });
  }

  #inTurn<Result>(act: () => Promise<Result>): Promise<Result> {
    this.#waiting++;
    const done = this.#queue.then(act).finally(() => {
      this.#waiting--;
      this.#settledAt = performance.now();
    });
    this.#queue = done.catch(() => {});
    return done;
  }

  #check(): Promise<readonly Anomaly[]> {
    return this.#inTurn(() => this.#compare());
  }

  #end(run: ActiveRun): Promise<readonly Anomaly[]> {
    return this.#inTurn(async () => {
      const anomalies = await this.#compare();
      this.#runs.delete(run);
      if (this.isIdle) this.#accept(undefined);
      return anomalies;
    });
  }

  async #look(workspace: HeldWorkspace, known?: WorkspaceSurvey): Promise<Look> {
    const survey = known ?? (await surveyWorkspace(this.#root));
    return { survey, inspection: inspectMetadata(workspace, survey.found) };
  }

  #accept(inspection: Inspection | undefined): void {
    this.#accepted = new Map();
    this.#saved = inspection?.saved ?? new Map();
    for (const charge of inspection?.charges ?? []) this.#acceptCharge(charge);
  }

  #acceptCharge({ path, mark }: Charge): void {
    const marks = this.#accepted.get(path);
    if (marks) marks.add(mark);
    else this.#accepted.set(path, new Set([mark]));
  }

  async #compare(): Promise<readonly Anomaly[]> {
    try {
      using workspace = new HeldWorkspace(this.#root);
      return await this.#settle(workspace);
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code === "ENOENT" || code === "ENOTDIR") return [];
      return [
        toAnomaly(`Git metadata could not be compared after this run (${code ?? "unknown error"}). Look at it before you run git there.`),
      ];
    }
  }

  /** Taking one thing away may bring another to light, such as a file that was included. */
  async #settle(workspace: HeldWorkspace): Promise<readonly Anomaly[]> {
    const sentences = new Set<string>();
    for (let round = 0; round < mostRounds; round++) {
      const { inspection } = await this.#look(workspace);
      const strange = inspection.charges.filter((charge) => !this.#isAccepted(workspace, charge));
      if (strange.length === 0) return [...sentences].map(toAnomaly);
      for (const charge of strange) sentences.add(disarm(workspace, charge, this.#savedOf(workspace, charge.path)));
    }
    sentences.add("Git metadata kept appearing while it was taken away. Do not run git in this workspace before you have looked at it.");
    return [...sentences].map(toAnomaly);
  }

  #savedOf(workspace: HeldWorkspace, path: string): SavedFile | undefined {
    const saved = this.#saved.get(path);
    const folder = workspace.stat(path.slice(0, Math.max(0, path.lastIndexOf("/"))));
    return folder && saved?.folder === identify(folder) ? saved : undefined;
  }

  #isAccepted(workspace: HeldWorkspace, charge: Charge): boolean {
    const { path, mark, kind, inWorkTree, isShared } = charge;
    if (this.#accepted.get(path)?.has(mark)) return true;
    const runs = [...this.#runs];
    const isHosts = !isShared && runs.every((run) => isSealedIn(run, path, workspace));
    const isApproved = kind === "settings" && !inWorkTree && runs.some(({ access, approved }) => access === "configures" && approved);
    // A branch brings its own files of the work tree; they come from the history, which runs cannot write.
    const isCheckedOut = inWorkTree && runs.some(({ access }) => access === "changes" || access === "configures");
    const accepted = isHosts || isApproved || isCheckedOut;
    if (accepted) this.#acceptCharge(charge);
    return accepted;
  }

  /**
   * A mount is made of a path, which another run may have turned into a link by then. So only what no such run can rename is mounted. Git
   * itself plays no such tricks.
   */
  #isSafeToMount(path: string): boolean {
    return [...this.#runs].every(
      ({ seals, access, sealed, pinned }) =>
        !seals || access === "changes" || access === "configures" || pinned.has(path) || findSealAbove(sealed, path) !== undefined,
    );
  }
}

function toAnomaly(message: string): Anomaly {
  return { kind: "git_metadata", message };
}

function once(act: () => Promise<readonly Anomaly[]>, early: readonly Anomaly[]): () => Promise<readonly Anomaly[]> {
  let done = false;
  return async () => {
    if (done) return [];
    done = true;
    return [...early, ...(await act())];
  };
}

/** The sealed path that is the path or above it. */
function findSealAbove(sealed: ReadonlyMap<string, string>, path: string): string | undefined {
  for (let above = path; above !== ""; above = above.slice(0, Math.max(0, above.lastIndexOf("/")))) if (sealed.has(above)) return above;
  return undefined;
}

/** The run could not have written it: what seals it is still the same, at the same place. */
function isSealedIn({ sealed }: ActiveRun, path: string, workspace: HeldWorkspace): boolean {
  const seal = findSealAbove(sealed, path);
  const stats = seal === undefined ? undefined : workspace.stat(seal);
  return seal !== undefined && stats !== undefined && identify(stats) === sealed.get(seal);
}

function chooseSeals({ survey, inspection }: Look, access: GitAccess, workspace: HeldWorkspace): readonly string[] {
  if (access === "configures") return [];
  const settled = (repository: string) => settledNames.map((name) => (repository === "" ? name : `${repository}/${name}`));
  const whole =
    access === "changes" ? [] : [...survey.found.flatMap(({ path, kind }) => (kind === "git" ? path : [])), ...inspection.repositories];
  const parts =
    access === "changes"
      ? inspection.repositories.flatMap(settled)
      : [...inspection.led, ...settled("").filter(() => inspection.repositories.includes(""))];
  const paths = [...new Set([...whole, ...parts, ...inspection.pointers])].filter((path) => path !== "").sort();
  const chosen = new Set<string>();
  for (const path of paths) {
    const stats = findAbove(chosen, path) ? undefined : workspace.stat(path);
    if (stats?.isDirectory() || stats?.isFile()) chosen.add(path);
  }
  return [...chosen];
}

function findAbove(chosen: ReadonlySet<string>, path: string): boolean {
  for (let above = path; above !== ""; above = above.slice(0, Math.max(0, above.lastIndexOf("/")))) if (chosen.has(above)) return true;
  return false;
}

function describeSeals(workspace: HeldWorkspace, paths: readonly string[]): Pick<ActiveRun, "sealed" | "pinned"> {
  const sealed = new Map<string, string>();
  const pinned = new Set(paths);
  for (const path of paths) {
    const stats = workspace.stat(path);
    if (stats) sealed.set(path, identify(stats));
    for (let at = path.lastIndexOf("/"); at > 0; at = path.lastIndexOf("/", at - 1)) pinned.add(path.slice(0, at));
  }
  return { sealed, pinned };
}

function describeGaps({ survey, inspection }: Look, { access, seals }: MetadataAccess, unsealed: number): string[] {
  const hasMetadata = inspection.repositories.length > 0 || inspection.pointers.length > 0;
  const links = survey.found.filter(({ kind, type }) => kind === "git" && type === "link").map(({ path }) => quotePath(path));
  const compared = "what git would obey was compared after the run";
  return [
    ...(survey.isComplete && inspection.isComplete
      ? []
      : ["The workspace has more folders than are searched for git metadata, so some of it may be unprotected."]),
    ...(hasMetadata && !seals ? [`Git metadata could be written; ${compared}.`] : []),
    ...(seals && access !== "configures" && unsealed > 0 ? [`${unsealed} places with git metadata could be written; ${compared}.`] : []),
    ...(seals && links.length > 0 ? [`${links.slice(0, 5).join(", ")} could be replaced because it is a link; ${compared}.`] : []),
  ];
}

/** A process whose workspace is compared when it ends, and whenever somebody looks at it. */
export interface WatchedProcess extends ProcessHandle {
  /** What it did to git metadata so far. Never rejects. */
  checkMetadata(): Promise<readonly Anomaly[]>;
}

/** What programs print when they cannot write sealed metadata. */
const refusal =
  /\.git\b[^\n]*(?:read-only file system|EROFS|resource busy|EBUSY)|(?:read-only file system|EROFS|resource busy|EBUSY)[^\n]*\.git\b/i;
const scannedBytes = 1024 * 1024;
const overlap = 512;

/** Adds to what is known of an ended process what it left for git to obey, and that metadata was read-only where that mattered. */
export function watchMetadata(handle: ProcessHandle, run: GuardedRun, need: GitNeed): WatchedProcess {
  const isRefused = scanOutput(handle, run.sealedPaths.length > 0);
  const exited = handle.exited.then(async (report) => {
    const found = await run.end();
    const wasHeldBack = need.heldBackBy !== undefined && report.exit.exitCode !== 0 && run.sealedPaths.length > 0;
    const refused = wasHeldBack || isRefused.found ? [describeRefusal(need)] : [];
    return { ...report, anomalies: [...report.anomalies, ...refused, ...found] };
  });
  return {
    ...handle,
    posture: { ...handle.posture, gaps: [...handle.posture.gaps, ...run.gaps] },
    onOutput: isRefused.onOutput,
    exited,
    checkMetadata: () => run.check(),
  };
}

function describeRefusal({ heldBackBy }: GitNeed): Anomaly {
  const because = heldBackBy === undefined ? "" : `, because ${JSON.stringify(heldBackBy.slice(0, 80))} is on the same line`;
  const message = `Git metadata (.git) was read-only for this command${because}. Run git commands that change a repository, and rm of one, in a call of their own.`;
  return { kind: "git_metadata", message };
}

function scanOutput(handle: ProcessHandle, wanted: boolean) {
  const streams = { stdout: { seen: 0, tail: "" }, stderr: { seen: 0, tail: "" } };
  const scan = {
    found: false,
    onOutput: (listener: Parameters<ProcessHandle["onOutput"]>[0]) =>
      handle.onOutput((stream, chunk) => {
        const state = streams[stream];
        if (wanted && !scan.found && state.seen < scannedBytes) {
          state.seen += chunk.length;
          const text = state.tail + Buffer.from(chunk).toString("latin1");
          scan.found = refusal.test(text);
          state.tail = text.slice(-overlap);
        }
        listener(stream, chunk);
      }),
  };
  return scan;
}
