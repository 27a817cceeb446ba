import { createHash } from "node:crypto";
import { realpathSync } from "node:fs";
import { dirname, isAbsolute, join, normalize, relative } from "node:path";
import type { WorkspaceSurvey } from "../exec/workspace-view.ts";
import { judgeSetting } from "../repository/known-settings.ts";
import type { Setting } from "../repository/parse-configuration.ts";
import { isRepositoryShape } from "./classify-metadata.ts";
import { type Entry, type HeldWorkspace, identify } from "./hold-folder.ts";
import { readSettings } from "./read-settings.ts";

/** Something that git would run, or be led by to what it runs. All paths are workspace-relative. */
export interface Charge {
  readonly path: string;
  /** How it is taken from git: `settings` are reduced to harmless ones, everything else gets another name. */
  readonly kind: "settings" | "entry";
  /** Equal for what git would do the same with. */
  readonly mark: string;
  /** What it is, for a sentence that begins with its path. */
  readonly what: string;
  /** True for a file of the work tree that the configuration names. */
  readonly inWorkTree: boolean;
  /** A second name of the same file may be outside what is sealed. */
  readonly isShared: boolean;
}

/** A whole file as it was. */
export interface SavedFile {
  readonly content: Buffer;
  readonly mode: number;
  /** Identity of its folder: in another one it would be another file. */
  readonly folder: string | undefined;
}

export interface Inspection {
  /** Folders that git takes for a repository. */
  readonly repositories: readonly string[];
  /** `.git` files and links. */
  readonly pointers: readonly string[];
  /** Files and folders of the work tree that the configuration of a repository names. */
  readonly led: readonly string[];
  readonly charges: readonly Charge[];
  readonly saved: ReadonlyMap<string, SavedFile>;
  /** False when there is more than is looked at. */
  readonly isComplete: boolean;
}

/** More repositories, or files of hooks, are not looked at. */
const mostRepositories = 2000;
const mostHooks = 200;
const deepestInclude = 10;
/** Their words are no files, or run only when a person calls them by name. */
const namingSections = new Set(
  "remote branch user author committer submodule url http alias difftool mergetool guitool browser man web help sendemail tar".split(" "),
);

/** Reads all git metadata that a survey found, and what it leads to inside the workspace. */
export function inspectMetadata(workspace: HeldWorkspace, found: WorkspaceSurvey["found"]): Inspection {
  const inspector = new Inspector(workspace);
  for (const { path, kind, type } of found) {
    if (kind === "credential") continue;
    if (kind === "bare") inspector.addRepository(parentOf(path));
    else if (type === "folder") inspector.addRepository(path);
    else inspector.pointers.push(path);
  }
  inspector.inspect();
  return inspector;
}

const parentOf = (path: string) => (path.includes("/") ? path.slice(0, path.lastIndexOf("/")) : "");
const within = (folder: string, name: string) => (folder === "" ? name : `${folder}/${name}`);
const hashOf = (content: string | Buffer) => createHash("sha256").update(content).digest("hex");

class Inspector implements Inspection {
  readonly pointers: string[] = [];
  readonly charges: Charge[] = [];
  readonly saved = new Map<string, SavedFile>();
  isComplete = true;
  readonly #workspace: HeldWorkspace;
  readonly #repositories = new Set<string>();
  readonly #led = new Set<string>();
  readonly #seen = new Set<string>();

  constructor(workspace: HeldWorkspace) {
    this.#workspace = workspace;
  }

  get repositories(): readonly string[] {
    return [...this.#repositories];
  }

  get led(): readonly string[] {
    return [...this.#led];
  }

  addRepository(path: string): void {
    if (this.#repositories.size >= mostRepositories) this.isComplete = false;
    if (!this.isComplete || this.#repositories.has(path)) return;
    this.#repositories.add(path);
    this.#addInner(within(path, "worktrees"), 1);
    this.#addInner(within(path, "modules"), 8);
  }

  /** Repositories of submodules stand at any depth below `modules`: a name may hold slashes. */
  #addInner(folder: string, depth: number): void {
    const entry = this.#workspace.read(folder);
    if (entry?.type !== "folder") return;
    if (entry.names === undefined) this.#chargeClosed(folder, false);
    for (const name of entry.names ?? []) {
      const path = within(folder, name);
      const inner = this.#workspace.read(path);
      if (inner?.type !== "folder") continue;
      const { names } = inner;
      if (names === undefined || isRepositoryShape((part) => names.includes(part)) || names.includes("config")) this.addRepository(path);
      else if (depth > 1) this.#addInner(path, depth - 1);
    }
  }

  inspect(): void {
    for (const path of this.#repositories) this.#inspectRepository(path);
    for (const path of this.pointers) this.#inspectPointer(path);
  }

  #charge(path: string, what: string, mark: string, more: Partial<Charge> = {}): void {
    this.charges.push({ path, what, mark, kind: "entry", inWorkTree: false, isShared: false, ...more });
  }

  /** What is in it is found by its name, which nobody here knows. */
  #chargeClosed(path: string, inWorkTree: boolean): void {
    this.#charge(path, "is a folder that cannot be listed", "closed", { inWorkTree });
  }

  #inspectRepository(path: string): void {
    const base = path.endsWith("/.git") || path === ".git" ? parentOf(path) : path;
    for (const name of ["config", "config.worktree"]) this.#inspectSettings(within(path, name), base, 0);
    this.#inspectHooks(within(path, "hooks"), false);
    this.#inspectCommonFolder(path);
    this.#inspectAlternates(path);
    const attributes = this.#read(within(path, "info/attributes"));
    if (attributes) this.#charge(within(path, "info/attributes"), "gives files drivers", markOf(attributes));
    const todo = this.#read(within(path, "rebase-merge/git-rebase-todo"));
    if (todo?.type === "file" && /^[ \t]*(?:x|exec)\s/m.test(todo.content.toString()))
      this.#charge(within(path, "rebase-merge/git-rebase-todo"), "runs commands when a rebase goes on", markOf(todo));
  }

  #read(path: string): Entry | undefined {
    const entry = this.#workspace.read(path);
    if (entry?.type === "file" && entry.beyond === undefined) {
      const folder = this.#workspace.stat(parentOf(path));
      this.saved.set(path, { content: entry.content, mode: entry.mode, folder: folder && identify(folder) });
    }
    return entry;
  }

  #inspectSettings(path: string, base: string, depth: number, inWorkTree = false): void {
    if (this.#seen.has(path) || depth > deepestInclude) return;
    this.#seen.add(path);
    const entry = this.#read(path);
    if (!entry) return;
    if (entry.type !== "file") {
      this.#charge(path, "is no plain file", markOf(entry), { inWorkTree });
      if (entry.type === "link")
        this.#follow(parentOf(path), entry.target, (target) => this.#inspectSettings(target, base, depth + 1, true));
      return;
    }
    const settings = entry.beyond === undefined ? readSettings(entry.content) : undefined;
    if (!settings) {
      this.#charge(path, "holds settings that cannot be read", markOf(entry), { inWorkTree, isShared: entry.links > 1 });
      return;
    }
    const strange = settings.filter((setting) => !this.isHarmlessAt(setting, parentOf(path)));
    if (strange.length > 0)
      this.#charge(path, `holds settings that git may run programs for (${listNames(strange)})`, hashOf(JSON.stringify(strange)), {
        kind: "settings",
        inWorkTree,
        isShared: entry.links > 1,
      });
    for (const setting of strange) this.#followSetting(setting, path, { base, depth });
  }

  /** A submodule's work tree is named by its configuration; inside the workspace that leads nowhere else. */
  isHarmlessAt(setting: Setting, folder: string): boolean {
    if (judgeSetting(setting).isHarmlessOnHost) return true;
    return setting.key === "core.worktree" && this.#resolve(folder, setting.value ?? "") !== undefined;
  }

  #followSetting(setting: Setting, path: string, { base, depth }: { readonly base: string; readonly depth: number }): void {
    const { section, name, value = "" } = setting;
    if ((section === "include" || section === "includeif") && name === "path") {
      this.#lead(parentOf(path), value, (target) => this.#inspectSettings(target, base, depth + 1, true));
    } else if (section === "core" && name === "hookspath") {
      this.#lead(
        base,
        value,
        (target) => this.#inspectHooks(target, true),
        (target) => this.#wholeOf(target),
      );
    } else if (!namingSections.has(section)) {
      for (const word of value.split(/[\s;&|<>()"'`$=]+/).filter((one) => one !== ""))
        this.#lead(base, word.replace(/^!/, ""), (target) => this.#inspectProgram(target));
    }
  }

  /** Hooks call their neighbours: of `.husky/_` it is `.husky` that counts. */
  #wholeOf(target: string): string {
    const parts = target.split("/");
    const dotted = parts.findIndex((part) => part.startsWith("."));
    const whole = parts.slice(0, dotted + 1).join("/");
    return dotted < 0 || this.#repositories.has(whole) ? target : whole;
  }

  #lead(folder: string, text: string, inspect: (target: string) => void, widen = (target: string) => target): void {
    const before = this.charges.length;
    this.#follow(folder, text, (named) => {
      const target = widen(named);
      const missing = this.#workspace.read(target) === undefined;
      inspect(target);
      if (!missing && (this.charges.length > before || this.saved.has(target))) this.#led.add(target);
    });
  }

  #inspectProgram(path: string): void {
    const entry = this.#workspace.read(path);
    if (entry?.type !== "file") return;
    this.#read(path);
    this.#charge(path, "is named by a git configuration", markOf(entry), { inWorkTree: true, isShared: entry.links > 1 });
  }

  #inspectHooks(path: string, inWorkTree: boolean): void {
    if (this.#seen.has(path)) return;
    this.#seen.add(path);
    const entry = this.#workspace.read(path);
    if (!entry) return;
    if (entry.type === "link") {
      this.#charge(path, "is a link to hooks", markOf(entry), { inWorkTree });
      this.#lead(parentOf(path), entry.target, (target) => this.#inspectHooks(target, true));
    } else if (entry.type === "folder" && entry.names === undefined) this.#chargeClosed(path, inWorkTree);
    else if (entry.type === "folder") this.#inspectHookFiles(path, entry.names ?? [], inWorkTree);
  }

  #inspectHookFiles(folder: string, names: readonly string[], inWorkTree: boolean): void {
    for (const name of names) {
      if (/\.(?:sample|disarmed-\d+)$/.test(name)) continue;
      const path = within(folder, name);
      const entry = this.#read(path);
      if (!entry) continue;
      if (this.#seen.size > mostRepositories + mostHooks) this.isComplete = false;
      else if (entry.type === "folder") this.#inspectHooks(path, inWorkTree);
      else this.#charge(path, "is a hook", markOf(entry), { inWorkTree, isShared: entry.type === "file" && entry.links > 1 });
    }
  }

  #inspectCommonFolder(repository: string): void {
    const path = within(repository, "commondir");
    const entry = this.#read(path);
    if (entry)
      this.#inspectTarget(path, entry, entry.type === "file" ? entry.content.toString().replace(/(?<![\r\n])[\r\n]+$/, "") : undefined);
  }

  /** `.git` as a file or link. */
  #inspectPointer(path: string): void {
    const entry = this.#read(path);
    if (!entry) return;
    const text =
      entry.type === "file" ? /^gitdir: ([^\0]*)$/.exec(entry.content.toString())?.[1]?.replace(/(?<![\r\n])[\r\n]+$/, "") : undefined;
    // Git stops at a file that it cannot read so.
    if (entry.type === "file" && text === undefined) return;
    this.#inspectTarget(path, entry, entry.type === "link" ? entry.target : text);
  }

  /** A repository that is looked at anyway is no charge. */
  #inspectTarget(path: string, entry: Entry, text: string | undefined): void {
    const target = text === undefined || text === "" ? undefined : this.#resolve(parentOf(path), text);
    if (target !== undefined && this.#repositories.has(target)) return;
    this.#charge(path, "leads git to another folder", markOf(entry));
    if (target === undefined || this.#workspace.read(target)?.type !== "folder") return;
    this.#led.add(target);
    this.addRepository(target);
    this.#inspectRepository(target);
  }

  #inspectAlternates(repository: string): void {
    const path = within(repository, "objects/info/alternates");
    const entry = this.#read(path);
    if (!entry) return;
    const lines = entry.type === "file" ? entry.content.toString().split("\n") : ["/"];
    const leadsOut = lines.some(
      (line) => line !== "" && !line.startsWith("#") && this.#resolve(within(repository, "objects"), line) === undefined,
    );
    if (leadsOut) this.#charge(path, "leads git to objects elsewhere", markOf(entry));
  }

  #follow(folder: string, text: string, then: (target: string) => void): void {
    const target = this.#resolve(folder, text);
    if (target !== undefined && target !== "") then(target);
  }

  /** Where a text leads, links resolved as far as they exist; undefined outside the workspace. */
  #resolve(folder: string, text: string): string | undefined {
    if (text.startsWith("~") || text.includes("\0") || text.length > 4096) return undefined;
    const root = this.#workspace.location;
    const path = relative(root, realPath(isAbsolute(text) ? normalize(text) : join(root, folder, text)));
    return path === ".." || path.startsWith("../") || isAbsolute(path) ? undefined : path;
  }
}

function realPath(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    const above = dirname(path);
    return above === path ? path : join(realPath(above), relative(above, path));
  }
}

function markOf(entry: Entry): string {
  if (entry.type === "file") return hashOf(`${entry.mode & 0o111} ${entry.beyond} ${hashOf(entry.content)}`);
  return entry.type === "link" ? `link ${entry.target}` : entry.type;
}

function listNames(settings: readonly Setting[]): string {
  const names = [...new Set(settings.map(({ key }) => key))].map((key) => key.replace(/[^\x20-\x7e]/g, "?").slice(0, 80));
  return names.length > 5 ? `${names.slice(0, 5).join(", ")} and ${names.length - 5} more` : names.join(", ");
}
