import { type Anomaly, type CallSite, ToolwrightError } from "@toolwright/engine";
import type { ProcessHandle } from "@toolwright/engine/ports";
import { secretsInConfiguration } from "../credentials/secret-values.ts";
import { readRepository } from "../repository/read-repository.ts";
import { judgePlaced } from "./find-cautions.ts";
import { comparesWorkTree, findGitUse, type GitUse, type PlacedCommand } from "./git-use.ts";
import type { WorkspaceSurvey } from "./remember-surveyors.ts";
import type { WorkspaceView, WorkspaceViews } from "./workspace-view.ts";

/** What a run must not see, and how its result says so. */
export interface LimitedView {
  readonly hiddenPaths: readonly string[];
  /** What the workspace held. */
  readonly survey: WorkspaceSurvey;
  sayHidden(handle: ProcessHandle): ProcessHandle;
}

/** Values that are kept out of one call's output: each costs time on every piece of it. */
const maxValues = 48;
const maxRepositories = 64;

/**
 * Hides the credential files of the workspace from a run that no person approved as a whole, and keeps their values, and those in addresses of
 * remotes, out of its output. Refuses a line that a caution speaks against: it was judged before, so the workspace has changed since.
 */
export async function limitView(
  views: WorkspaceViews,
  site: Pick<CallSite, "approved" | "taint">,
  { workspace, ...placed }: PlacedCommand & { readonly workspace: string },
): Promise<LimitedView> {
  const view = await views.look(workspace);
  for (const value of valuesOfRemotes(view)) site.taint(value);
  if (site.approved) return { hiddenPaths: [], survey: view.survey, sayHidden: (handle) => handle };
  const [caution] = judgePlaced(view, placed);
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

function valuesOf({ credentials }: WorkspaceView): readonly string[] {
  const nearest = [...credentials].sort((a, b) => depthOf(a.path) - depthOf(b.path));
  return [...new Set(nearest.flatMap(({ values }) => values))].slice(0, maxValues);
}

const depthOf = (path: string) => path.split("/").length;

/** Tokens in the addresses that the repositories' configurations hold: git prints them as they are. */
function valuesOfRemotes({ root, repositories }: WorkspaceView): readonly string[] {
  const settings = repositories.slice(0, maxRepositories).flatMap((folder) => readRepository(root, folder).settings);
  const values = settings.flatMap(({ setting: { name, subsection = "", value = "" } }) =>
    secretsInConfiguration(`${subsection}\n${name} = ${value}`),
  );
  return [...new Set(values)].slice(0, maxValues);
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
