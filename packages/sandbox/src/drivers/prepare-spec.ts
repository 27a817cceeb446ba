import { accessSync, constants, existsSync, realpathSync, statSync } from "node:fs";
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from "node:path";
import { ToolwrightError } from "@toolwright/engine";
import type { ProcessSpec } from "@toolwright/engine/ports";

/** A spec whose folders and program were found on this machine. */
export interface PreparedSpec {
  readonly spec: ProcessSpec;
  /** Real path. */
  readonly workspace: string;
  /** Real path, inside the workspace. */
  readonly workdir: string;
  readonly owner: { readonly uid: number; readonly gid: number };
  readonly argv: readonly [string, ...string[]];
  /** What the driver itself gives every child; `env` may differ from it. */
  readonly baseEnv: Readonly<Record<string, string>>;
  /** The whole environment. */
  readonly env: Readonly<Record<string, string>>;
}

export interface Surroundings {
  readonly home: string;
  readonly temporary: string;
  /** Absolute path of bash, or of sh where there is no bash. */
  readonly shell: string;
  /** True when programs are those of an image, which are not here to be looked for. */
  readonly inImage?: boolean;
  /** More variables of the driver's own. */
  readonly variables?: Readonly<Record<string, string>>;
}

/**
 * Finds what the spec names. Throws `workspace_missing` or `spawn_failed`, before anything is started. Synchronous on purpose: a
 * handful of looks at folders in the kernel's cache costs less than one turn through the thread pool.
 */
export function prepareSpec(spec: ProcessSpec, surroundings: Surroundings): PreparedSpec {
  const workspace = findWorkspace(spec.workspace);
  const { uid, gid } = statSync(workspace);
  const workdir = findWorkdir(workspace, spec.workdir);
  const { home, temporary, variables } = surroundings;
  const baseEnv = { PATH: programPath.join(":"), HOME: home, TMPDIR: temporary, LANG: "C.UTF-8", ...variables };
  const env = { ...baseEnv, ...spec.env };
  for (const [name, value] of Object.entries(env)) checkVariable(name, value);
  const argv = "shell" in spec.program ? shellArgv(surroundings.shell, spec.program.shell) : spec.program.argv;
  if (argv.some((word) => word.includes("\0"))) throw refuse("a word of the command holds a NUL byte");
  if ("argv" in spec.program && !surroundings.inImage) findProgram(argv[0], env.PATH, workdir);
  return { spec, workspace, workdir, owner: { uid, gid }, argv, baseEnv, env };
}

function shellArgv(shell: string, text: string): [string, ...string[]] {
  return shell.endsWith("/bash") ? [shell, "--noprofile", "--norc", "-c", text] : [shell, "-c", text];
}

function refuse(problem: string): ToolwrightError {
  return new ToolwrightError("spawn_failed", `The command was not started: ${problem}.`);
}

function findWorkspace(path: string): string {
  const found = findFolder(path);
  const advice = "Make it again, or start a new conversation.";
  if (found === undefined) throw new ToolwrightError("workspace_missing", `The workspace folder is gone. ${advice}`);
  if (found === "/") throw refuse("the root of the file system cannot be a workspace; name a folder below it");
  return found;
}

function findWorkdir(workspace: string, workdir: string): string {
  const found = findFolder(resolve(workspace, workdir));
  if (found === undefined) throw refuse(`there is no folder "${workdir}" in the workspace`);
  const below = relative(workspace, found);
  if (below === ".." || below.startsWith(`..${sep}`) || isAbsolute(below)) throw refuse(`the folder "${workdir}" is outside the workspace`);
  return found;
}

function checkVariable(name: string, value: string): void {
  if (!/^[A-Za-z_][A-Za-z0-9_]*$/.test(name)) throw refuse(`"${name}" is not a name for an environment variable`);
  if (value.includes("\0")) throw refuse(`the environment variable ${name} holds a NUL byte`);
}

function findProgram(program: string, path: string, workdir: string): void {
  const candidates = program.includes("/") ? [resolve(workdir, program)] : path.split(":").map((folder) => join(folder, program));
  if (!candidates.some(isProgram)) throw refuse(`there is no program "${program}"`);
}

const systemFolders = ["/usr/local/sbin", "/usr/local/bin", "/usr/sbin", "/usr/bin", "/sbin", "/bin"];
const systemRoots = ["/usr/", "/bin/", "/sbin/", "/opt/", "/nix/"];

/** The folder of the Node that runs this process: commands find the same one, wherever it was installed. */
const nodeFolder = dirname(process.execPath);

/** Where a child looks for programs: folders that the operator's system owns, never the workspace (R-EX-8). */
export const programPath: readonly string[] = [nodeFolder, ...systemFolders.filter((folder) => folder !== nodeFolder)];

/** Host folders outside the system's own that a sandboxed child needs for Node and npm; nothing beside them is shown. */
export function nodeFolders(): string[] {
  if (systemRoots.some((root) => nodeFolder.startsWith(root))) return [];
  const modules = join(dirname(nodeFolder), "lib", "node_modules");
  return basename(nodeFolder) === "bin" && existsSync(modules) ? [nodeFolder, modules] : [nodeFolder];
}

/** First of the trusted folders that holds the program. */
export function findSystemProgram(name: string): string | undefined {
  return systemFolders.map((folder) => join(folder, name)).find((path) => existsSync(path));
}

/** bash, or sh where there is none. */
export function findShell(): string {
  return findSystemProgram("bash") ?? "/bin/sh";
}

/** The real path of a folder, or undefined. */
export function findFolder(path: string): string | undefined {
  try {
    const found = realpathSync(path);
    return statSync(found).isDirectory() ? found : undefined;
  } catch {
    return undefined;
  }
}

/** True for a file that this process may execute. */
export function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}

/** What the network of a run leaves open, in sentences for `Posture.gaps`. */
export function networkGaps({ network, networkRules }: Pick<ProcessSpec, "network" | "networkRules">): string[] {
  if (network === "host") return ["The command had the host's network, loopback services included."];
  if (network === "none") return [];
  const gaps = ["Of what goes to a permitted host only the host and the port were judged: the command could send it anything."];
  if (networkRules && networkRules.allow === undefined)
    gaps.push("Every public host was permitted, because network.allow of the policy names none.");
  return gaps;
}
