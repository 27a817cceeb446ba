import { lstatSync, realpathSync } from "node:fs";
import { basename, dirname, join, relative } from "node:path";
import { isCredentialPath } from "@toolwright/commands/targets";
import { type Credential, CredentialReader } from "../credentials/read-credential.ts";
import { classifyMetadata, type MetadataKind } from "../git-metadata/classify-metadata.ts";
import { isInside } from "./confine-workdir.ts";
import { type Classify, type Found, type Survey, WorkspaceSurveyor } from "./survey-workspace.ts";

/** What stands in a workspace now that decides what a run may see and what git obeys. */
export interface WorkspaceView {
  /** Real path. */
  readonly root: string;
  /** Folders with an entry `.git`, relative to the workspace. */
  readonly repositories: readonly string[];
  readonly credentials: readonly Credential[];
  /** False when the workspace has more folders than are looked at. */
  readonly isComplete: boolean;
  /** What the view was made of. */
  readonly survey: WorkspaceSurvey;
}

/** Workspaces whose credentials are remembered. */
const maxRemembered = 16;

/** Looks at workspaces; what has not changed since the last look is not read again. */
export class WorkspaceViews {
  readonly #readers = new Map<string, CredentialReader>();

  /** Throws the system's error when there is no such folder. */
  async look(workspace: string): Promise<WorkspaceView> {
    const root = realpathSync(workspace);
    const reader = this.#remember(root);
    const survey = await surveyWorkspace(root);
    const credentials = outermost(survey.found.filter(({ kind }) => kind === "credential")).flatMap((entry) => locate(root, entry));
    return {
      root,
      repositories: survey.found.filter(({ path }) => basename(path) === ".git").map(({ path }) => folderOf(path)),
      credentials: reader.read(root, credentials),
      isComplete: survey.isComplete,
      survey,
    };
  }

  #remember(root: string): CredentialReader {
    const reader = this.#readers.get(root) ?? new CredentialReader();
    this.#readers.delete(root);
    this.#readers.set(root, reader);
    const [oldest] = this.#readers.keys();
    if (oldest !== undefined && this.#readers.size > maxRemembered) this.#readers.delete(oldest);
    return reader;
  }
}

const folderOf = (path: string) => (path === ".git" ? "" : dirname(path));

/** A folder of credentials counts as a whole. */
function outermost(found: readonly Found<WorkspaceKind>[]): readonly Found<WorkspaceKind>[] {
  const folders = new Set(found.flatMap(({ path, type }) => (type === "folder" ? [path] : [])));
  return found.filter(({ path }) => {
    for (let above = dirname(path); above !== "."; above = dirname(above)) if (folders.has(above)) return false;
    return true;
  });
}

/** A link is another name: what it leads to is the credential. */
function locate(root: string, { path, type }: Found<WorkspaceKind>): readonly string[] {
  if (type !== "link") return [path];
  try {
    const target = realpathSync(join(root, path));
    const isAbove = isInside(target, join(root, dirname(path)));
    if (!isInside(root, target) || isAbove || !isPlain(target)) return [];
    return [relative(root, target)];
  } catch {
    return [];
  }
}

function isPlain(path: string): boolean {
  const found = lstatSync(path);
  return found.isFile() || found.isDirectory();
}

/** Everything that is looked for in workspaces, so that one look finds it all. */
type WorkspaceKind = MetadataKind | "credential";
export type WorkspaceSurvey = Survey<WorkspaceKind>;

const classify: Classify<WorkspaceKind> = (entry) => classifyMetadata(entry) ?? (isCredentialPath(entry.name) ? "credential" : undefined);

/** Workspaces whose folders are remembered. */
const maxSurveyed = 64;
const surveyors = new Map<string, WorkspaceSurveyor<WorkspaceKind>>();

/** Looks through a workspace as it is now. All who ask for the same one share what is remembered of it. */
export function surveyWorkspace(root: string): Promise<WorkspaceSurvey> {
  const surveyor = surveyors.get(root) ?? new WorkspaceSurveyor(root, classify);
  surveyors.delete(root);
  surveyors.set(root, surveyor);
  const [oldest] = surveyors.keys();
  if (oldest !== undefined && surveyors.size > maxSurveyed) surveyors.delete(oldest);
  return surveyor.survey();
}
