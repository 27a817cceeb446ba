import { isUtf8 } from "node:buffer";
import { basename } from "node:path";
import { quotePath } from "@toolwright/commands/targets";
import { type CallSite, type CapabilityProvider, type Files, type Principal, type ReadFiles, ToolwrightError } from "@toolwright/engine";
import { type BeforeSite, createRandomIds, type Ids } from "@toolwright/engine/ports";
import { fingerprintPath } from "../binding/fingerprint-path.ts";
import { secretsInConfiguration } from "../credentials/secret-values.ts";
import { findUncontainedPath } from "../uncontained/find-uncontained-path.ts";
import { type Anchoring, bestAnchoring } from "./anchor.ts";
import { changeFiles } from "./change-files.ts";
import { deleteEntry } from "./delete-entry.ts";
import { explainOutside } from "./explain-outside.ts";
import { listFolder, statEntry } from "./list-folder.ts";
import { findOpened, OpenedFolders } from "./opened-folders.ts";
import { readFile } from "./read-file.ts";
import type { SearchDriver } from "./run-ripgrep.ts";
import { findFiles, grepFiles } from "./search-files.ts";
import { sliceLines } from "./slice-lines.ts";
import { expandForbidden, type FileStep, type Workspace } from "./workspace.ts";
import { writeFile } from "./write-file.ts";

export interface FilesOptions {
  /** Absolute path of the folder that file effects reach; the operator's, never from a tool's input. */
  workspaceOf(site: { readonly principal: Principal; readonly session: string }): string;
  /** Runs ripgrep for `glob` and `grep`; without one these two refuse. A function is asked when one of them runs. */
  readonly driver?: SearchDriver;
  /** Largest file in bytes that is read or written. Default 50 MiB. */
  readonly maxFileBytes?: number;
  /** Names of temporary files. */
  readonly ids?: Ids;
  /** Default: the strongest of this machine. */
  readonly anchoring?: Anchoring;
  /** For fault injection: called at the moments in which something else may change the disk. What it throws ends the operation. */
  readonly onStep?: (step: FileStep) => void;
}

const defaultFileBytes = 50 * 1024 * 1024;

/** Files in the workspace of a call. It holds whatever links there are and whenever they change; see `walk`. */
export function filesCapability(options: FilesOptions): CapabilityProvider<"files"> {
  const ids = options.ids ?? createRandomIds();
  return {
    name: "files",
    open(effect, site) {
      const places = new OpenedFolders(workspaceAt(site, options, ids), site.paths);
      const reading = openForReading(places, { driver: options.driver, site });
      return effect === "read" ? reading : openForWriting(places, reading);
    },
    async fingerprint(reach, caller) {
      return reach.kind === "path" ? fingerprintPath(() => folderOf(options, caller, reach.path), reach) : undefined;
    },
    workspace: (caller) => basename(options.workspaceOf(caller)),
    async refusal(reach, caller) {
      return reach.kind === "path" ? explainOutside(() => folderOf(options, caller, reach.path), reach.path) : undefined;
    },
    async uncontained(reach, _missing, caller) {
      return reach.kind === "path" ? findUncontainedPath(() => folderOf(options, caller, reach.path), reach) : [];
    },
    async before(reach, site) {
      return reach.kind === "path"
        ? {
            text: await readBefore(
              new OpenedFolders(workspaceAt(site, options, ids), site.paths).of(reach.path),
              reach.path,
              site.maxBytes,
            ),
          }
        : undefined;
    },
  };
}

/** The workspace of a call, with its rules. */
function workspaceAt(site: Omit<BeforeSite, "maxBytes">, options: FilesOptions, ids: Ids): Workspace {
  return {
    root: options.workspaceOf({ principal: site.principal, session: site.session }),
    forbidden: expandForbidden(site.paths.forbidden),
    anchoring: options.anchoring ?? bestAnchoring,
    maxFileBytes: options.maxFileBytes ?? defaultFileBytes,
    ids,
    signal: site.signal,
    mayTouch: (path, access) => site.judge({ kind: "path", path, access }).effect === "allow",
    onStep: options.onStep ?? (() => {}),
  };
}

/** Undefined where there is no file. */
async function readBefore(workspace: Workspace, path: string, maxBytes: number): Promise<string | undefined> {
  try {
    const file = await readFile(workspace, path, maxBytes);
    if (metadata.test(file.path))
      throw new ToolwrightError("path_refused", `${quotePath(file.path)} is a part of git, which may keep tokens there; it is not shown.`);
    if (isUtf8(file.bytes)) return file.bytes.toString();
    throw new ToolwrightError("not_a_file", `${quotePath(file.path)} is not text (${file.bytes.byteLength} bytes).`);
  } catch (error) {
    if (ToolwrightError.is(error) && error.code === "file_not_found") return undefined;
    throw error;
  }
}

type WorkspaceCaller = Pick<CallSite, "principal" | "session"> & Partial<Pick<CallSite, "paths">>;

/** The folder that holds a path: one that the policy opens, or the workspace. */
function folderOf({ workspaceOf }: FilesOptions, { paths, principal, session }: WorkspaceCaller, path: string): string {
  const workspace = workspaceOf({ principal, session });
  return findOpened(workspace, paths, path)?.path ?? workspace;
}

function openForReading(places: OpenedFolders, search: { readonly driver: SearchDriver | undefined; readonly site: CallSite }): ReadFiles {
  const read = async (path: string, maxBytes?: number) => {
    const file = await places.at(path, (workspace) => readFile(workspace, path, maxBytes));
    taintRemotes(file, search.site);
    return file;
  };
  return {
    readLines: async (path, range = {}) => {
      const file = await read(path);
      return sliceLines(file.bytes, file.path, range);
    },
    readBytes: async (path, { maxBytes } = {}) => (await read(path, maxBytes)).bytes,
    stat: (path) => places.at(path, async (workspace, show) => show(await statEntry(workspace, path))),
    list: (path, limits) =>
      places.at(path, async (workspace, show) => {
        const { entries, truncated } = await listFolder(workspace, path, limits);
        return { entries: entries.map(show), truncated };
      }),
    glob: (pattern, limits) =>
      places.at(limits?.path ?? ".", async (workspace, show) => {
        const { paths, truncated } = await findFiles(workspace, { ...search, workspace: workspace.root }, { pattern, ...limits });
        return { paths: paths.map((path) => show({ path }).path), truncated };
      }),
    grep: (query) =>
      places.at(query.path ?? ".", async (workspace, show) => {
        const { matches, ...more } = await grepFiles(workspace, { ...search, workspace: workspace.root }, query);
        return { ...more, matches: matches.map(show) };
      }),
  };
}

const metadata = /(?:^|\/)(?:\.git|\.gitmodules|[^/]+\.git)(?:\/|$)/i;

/** Addresses of remotes that git keeps may hold tokens, which nobody who looks at its settings wants to hand on. */
function taintRemotes({ path, bytes }: { readonly path: string; readonly bytes: Uint8Array }, site: Pick<CallSite, "taint">): void {
  if (!metadata.test(path)) return;
  for (const value of secretsInConfiguration(Buffer.from(bytes).toString())) site.taint(value);
}

function openForWriting(places: OpenedFolders, reading: ReadFiles): Files {
  return {
    ...reading,
    write: (path, content, conditions) => places.at(path, (workspace) => writeFile(workspace, path, content, conditions)),
    delete: (path, how) => places.at(path, (workspace) => deleteEntry(workspace, path, how)),
    change: async (changes) => places.at(places.oneOf(changes), (workspace) => changeFiles(workspace, changes)),
  };
}
