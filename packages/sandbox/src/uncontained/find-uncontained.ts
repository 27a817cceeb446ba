import { lstatSync, realpathSync, statSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, isAbsolute, join } from "node:path";
import { analyseLine, findTouched, type Touched } from "@toolwright/commands";
import type { Caution, CommandSpec, Containment } from "@toolwright/engine/ports";
import { expandPattern, newPatternBudget } from "../binding/expand-pattern.ts";
import { realPathOf } from "../binding/find-landing.ts";
import { confineWorkdir, isInside } from "../exec/confine-workdir.ts";
import { judgeGitUse } from "../exec/git-use.ts";
import type { WorkspaceViews } from "../exec/workspace-view.ts";
import { Findings } from "./findings.ts";
import { holdsSecrets, newWalkBudget, walkTree } from "./walk-tree.ts";

/** Paths that are looked up for one line. */
const maxLookups = 20_000;
const tooManyNames = "The patterns of this command stand for more files than are looked up, so what it would print of them is not known.";
const afterChange = "An earlier command of this line puts other files in place, so what this part would print of them is not known.";
const unknownFolder = "Which folder a part of this command runs in is not known before it runs.";

const beyondWords: Readonly<Partial<Record<Containment, Pick<Caution, "rule" | "reason" | "remedy">>>> = {
  workspace: {
    rule: "default.containment.workspace",
    reason: "What this program reaches is more than its words say, and nothing keeps it in the project where it runs.",
    remedy: "Approve this call, or allow this very command by a rule of the policy.",
  },
  network: {
    rule: "default.containment.network",
    reason: "It may reach a host that no rule opens, and nothing keeps it from the network where it runs.",
    remedy: "Approve this call, or open the host in network.allow.",
  },
};

/**
 * What a command line comes to in a place that does not hold back what its allowance relies on: where the paths really lead that it names, what its
 * patterns match, and what lies in folders that it looks through. None without a workspace or folder: the call is refused there. Never rejects.
 */
export async function findUncontained(
  { workspaceOf, views }: { readonly workspaceOf: () => string; readonly views: Pick<WorkspaceViews, "look"> },
  { command, workdir }: Pick<CommandSpec, "command" | "workdir">,
  missing: readonly Containment[],
): Promise<readonly Caution[]> {
  const beyond = missing.flatMap((each) => (beyondWords[each] ? [{ ...beyondWords[each], subject: command }] : []));
  if (!missing.includes("links") && !missing.includes("credentials")) return beyond;
  let found: Findings | undefined;
  try {
    const workspace = workspaceOf();
    const folder = await confineWorkdir(workspace, workdir);
    found = new Findings(realpathSync(workspace));
    const analysis = analyseLine(command);
    const exposed = /git/i.test(command) ? judgeGitUse(await views.look(workspace), { command, workdir: folder, contained: false }) : [];
    if (analysis.ok) await new Resolver(found).resolve(findTouched(analysis.commands, folder));
    return [...beyond, ...exposed, ...found.cautions()];
  } catch {
    if (!found) return beyond;
    found.addUnknown("The project could not be looked through, so what this command would reach is not known.");
    return [...beyond, ...found.cautions()];
  }
}

class Resolver {
  readonly #found: Findings;
  readonly #patterns = newPatternBudget();
  readonly #walks = newWalkBudget();
  #lookups = 0;
  #isChanged = false;

  constructor(found: Findings) {
    this.#found = found;
  }

  async resolve(touched: readonly Touched[]): Promise<void> {
    for (const each of touched) await this.#use(each);
  }

  async #use({ paths, folders, reads, walk, showsRemotes, places }: Touched): Promise<void> {
    if (this.#isChanged && (walk?.reads ?? reads) === "content" && (paths.length > 0 || walk)) this.#found.addUnknown(afterChange);
    if (places === "unknown") this.#isChanged = true;
    if (folders === undefined) {
      if (paths.length > 0 || walk) this.#found.addUnknown(unknownFolder);
      return;
    }
    const bases = folders.map((folder) => join(this.#found.root, folder));
    const named = await this.#expand(paths, bases);
    for (const path of named) this.#found.usePath(path, { reads: walk?.reads ?? reads, access: "read" });
    // A link leads elsewhere from another folder; what a folder holds has other names then.
    if (places === "operands" && named.slice(0, -1).some(isLinkOrFolder)) this.#isChanged = true;
    if (showsRemotes) for (const folder of folders) this.#useRemotes(folder);
    if (!walk) return;
    for (const root of await this.#expand(walk.roots, bases)) {
      const real = folderAt(root);
      if (real === undefined) this.#found.usePath(root, { reads: walk.reads, access: "read" });
      else {
        this.#found.usePath(root, { reads: "names", access: "read" });
        if (walk.reads === "content" || walk.follows) await walkTree(real, walk, this.#found, this.#walks);
      }
    }
  }

  async #expand(words: Touched["paths"], bases: readonly string[]): Promise<readonly string[]> {
    const all: string[] = [];
    for (const { text: written, glob, tilde } of words) {
      const text = tilde ? atHome(written) : written;
      for (const base of bases) {
        const path = climb(isAbsolute(text) ? text : `${base}/${text}`);
        if (tilde && !isInside(this.#found.root, path)) this.#found.addOutside(path);
        const found = glob ? [path, ...(await this.#match(text, base))] : [path];
        this.#lookups += found.length;
        if (this.#lookups > maxLookups) {
          this.#found.addUnknown(tooManyNames);
          return all;
        }
        all.push(...found);
      }
    }
    return all;
  }

  /** `**` stands for folders in some shells, and never for hidden ones. */
  async #match(pattern: string, base: string): Promise<readonly string[]> {
    const { root } = this.#found;
    const onOutside = (path: string) => this.#found.addOutside(path);
    const generous = pattern.includes("**");
    const paths = await expandPattern(pattern, { root, base, budget: this.#patterns, generous, onOutside });
    if (!paths) this.#found.addUnknown(tooManyNames);
    return (paths ?? []).filter((path) => !generous || !/\/\.[^./]/.test(path.slice(base.length)));
  }

  #useRemotes(folder: string): void {
    const { root } = this.#found;
    const parts = folder.split("/").filter((part) => part !== "");
    for (let depth = parts.length; depth >= 0; depth--) {
      const settings = join(...parts.slice(0, depth), ".git", "config");
      if (holdsSecrets(root, settings)) this.#found.addCredential(join(root, settings));
    }
  }
}

/** A path without "..", each of which is the folder above what really lies there: behind a link that is another one than the text says. */
function climb(path: string): string {
  if (!path.split("/").includes("..")) return path;
  return path.split("/").reduce((above, name) => (name === ".." ? dirname(realPathOf(above) ?? above) : `${above}/${name}`));
}

/** The home of another user is no place of a project. */
const atHome = (text: string) => (/^~(?:\/|$)/.test(text) ? `${homedir()}${text.slice(1)}` : "/");

function isLinkOrFolder(path: string): boolean {
  const entry = lstatSync(path, { throwIfNoEntry: false });
  return entry?.isSymbolicLink() === true || entry?.isDirectory() === true;
}

function folderAt(path: string): string | undefined {
  try {
    const real = realpathSync(path);
    return statSync(real).isDirectory() ? real : undefined;
  } catch {
    return undefined;
  }
}
