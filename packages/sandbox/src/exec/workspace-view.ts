import { lstatSync, realpathSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { isCredentialPath } from "@toolwright/engine";
import { type Credential, CredentialReader } from "../credentials/read-credential.ts";
import { isInside } from "./confine-workdir.ts";
import { type Classify, type Found, WorkspaceSurveyor } from "./survey-workspace.ts";

type Kind = "repository" | "credential";

/** What stands in a workspace now that decides what a run may see and what git obeys. */
export interface WorkspaceView {
  /** Real path. */
  readonly root: string;
  /** Folders with an entry `.git`, relative to the workspace. */
  readonly repositories: readonly string[];
  readonly credentials: readonly Credential[];
  /** False when the workspace has more folders than are looked at. */
  readonly isComplete: boolean;
}

const classify: Classify<Kind> = ({ name }) => {
  if (name === ".git") return "repository";
  return isCredentialPath(name) ? "credential" : undefined;
};

/** Workspaces whose folders are remembered. */
const maxRemembered = 16;

/** Looks at workspaces; what has not changed since the last look is not read again. */
export class WorkspaceViews {
  readonly #known = new Map<string, { readonly surveyor: WorkspaceSurveyor<Kind>; readonly reader: CredentialReader }>();

  /** Throws the system's error when there is no such folder. */
  async look(workspace: string): Promise<WorkspaceView> {
    const root = realpathSync(workspace);
    const { surveyor, reader } = this.#remember(root);
    const { found, isComplete } = await surveyor.survey();
    const credentials = found.filter(({ kind }) => kind === "credential").flatMap((entry) => locate(root, entry));
    return {
      root,
      repositories: found.filter(({ kind }) => kind === "repository").map(({ path }) => folderOf(path)),
      credentials: reader.read(root, credentials),
      isComplete,
    };
  }

  #remember(root: string) {
    const known = this.#known.get(root) ?? { surveyor: new WorkspaceSurveyor(root, classify), reader: new CredentialReader() };
    this.#known.delete(root);
    this.#known.set(root, known);
    const [oldest] = this.#known.keys();
    if (oldest !== undefined && this.#known.size > maxRemembered) this.#known.delete(oldest);
    return known;
  }
}

const folderOf = (path: string) => (path === ".git" ? "" : dirname(path));

/** A link is another name: what it leads to is the credential. */
function locate(root: string, { path, type }: Found<Kind>): readonly string[] {
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
