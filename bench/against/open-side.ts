import { spawnSync } from "node:child_process";
import { cpSync, lstatSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, readlinkSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";

/** The sources of a commit in a folder of their own, ready to be measured. */
export interface Side {
  readonly root: string;
  close(): void;
}

/** Checks a commit out beside this clone, with the benchmarks of this clone. Throws when there is no such commit, or it cannot be installed. */
export function openSide(commit: string, root: string): Side {
  const parent = mkdtempSync(join(tmpdir(), "toolwright-against-"));
  const side = join(parent, "side");
  const close = () => {
    rmSync(parent, { recursive: true, force: true });
    spawnSync("git", ["worktree", "prune"], { cwd: root });
  };
  try {
    run("git", ["worktree", "add", "--detach", "--quiet", side, commit], root);
    rmSync(join(side, "bench"), { recursive: true, force: true });
    cpSync(join(root, "bench"), join(side, "bench"), { recursive: true, filter: (path) => !path.endsWith("/node_modules") });
    if (lockOf(side) === lockOf(root)) linkModules(root, side);
    else run("npm", ["ci", "--no-audit", "--no-fund"], side);
    symlinkSync(join(root, "bench", "node_modules"), join(side, "bench", "node_modules"));
    return { root: side, close };
  } catch (error) {
    close();
    throw error;
  }
}

const lockOf = (root: string) => readFileSync(join(root, "package-lock.json"), "utf8");

/** Packages that `scripts/bundle.mjs` joins by their place: behind a link it would not find them again, and the side would run without a bundle. */
const joined: ReadonlySet<string> = new Set(["kysely", "zod", "yaml", "unbash", "commander", "ipaddr.js", "@modelcontextprotocol"]);
/** Made of the sources of one side, and kept among its packages. */
const bundle = ".toolwright";

/** The same packages, but for the links to the packages of the workspace, which lead into the side's own. */
function linkModules(root: string, side: string): void {
  const link = (folder: string) => {
    mkdirSync(join(side, folder), { recursive: true });
    for (const name of readdirSync(join(root, folder))) {
      const [from, to] = [join(root, folder, name), join(side, folder, name)];
      if (name === bundle) continue;
      if (name === "@toolwright") link(join(folder, name));
      else if (joined.has(name)) cpSync(from, to, { recursive: true });
      else if (lstatSync(from).isSymbolicLink()) symlinkSync(readlinkSync(from), to);
      else symlinkSync(resolve(from), to);
    }
  };
  link("node_modules");
}

function run(program: string, args: readonly string[], cwd: string): void {
  const { status, stderr } = spawnSync(program, [...args], { cwd, encoding: "utf8", stdio: ["ignore", 2, "pipe"] });
  if (status !== 0) throw new Error(`${program} ${args.join(" ")} ended with ${status}: ${stderr.trim()}`);
}
