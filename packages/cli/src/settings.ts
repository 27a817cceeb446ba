import { existsSync, realpathSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import { join, resolve, sep } from "node:path";
import { CliError } from "./cli-error.ts";
import type { Io } from "./io.ts";
import { cacheFolder, configurationFolder, stateFolder } from "./state/state-folder.ts";

/** The options that every command which uses tools has, as commander gives them. */
export interface CommonOptions {
  readonly workspace?: string;
  readonly tools?: string;
  readonly policy?: string;
  readonly json?: boolean;
  readonly verbose?: boolean;
}

/** Where everything is. All paths are absolute. */
export interface Settings {
  readonly workspace: string;
  /** May be missing on disk: its tools are there as soon as it is. Undefined when there can be none. */
  readonly tools: string | undefined;
  readonly policyFile: string | undefined;
  /** Where a policy is looked for, also later on; undefined when one was named. */
  readonly policyPlaces?: readonly string[];
  readonly state: string;
  /** Of a PostgreSQL server; undefined for the embedded one in `state`. */
  readonly databaseUrl?: string;
  /** For what can be made again. */
  readonly cache: string;
  /** File that the events of all calls are appended to; undefined for none. */
  readonly log?: string;
  /** Milliseconds that approvals, grants and artifacts are kept when they are over; undefined for the default. */
  readonly keepMs?: number;
}

const policyNames = ["policy.yaml", "policy.yml", "policy.json"];

/**
 * Option, then environment, then default. A policy is never looked for in the current folder or the workspace: what an agent can
 * write must not decide what the agent may do (R-AP-8).
 */
export function readSettings(options: CommonOptions, { env, cwd }: Pick<Io, "env" | "cwd">): Settings {
  const workspace = resolve(cwd, options.workspace ?? env.TOOLWRIGHT_WORKSPACE ?? "workspace");
  const named = options.policy ?? env.TOOLWRIGHT_POLICY;
  const policyPlaces = policyNames.map((name) => join(configurationFolder(env), name));
  const keepMs = readKeepDays(env.TOOLWRIGHT_KEEP_DAYS);
  const settings = {
    workspace,
    tools: findTools(options.tools ?? env.TOOLWRIGHT_TOOLS, cwd, workspace),
    policyFile: named === undefined ? policyPlaces.find((path) => existsSync(path)) : requirePolicy(resolve(cwd, named)),
    ...(named === undefined && { policyPlaces }),
    state: stateFolder(env),
    cache: cacheFolder(env),
    ...(env.DATABASE_URL && { databaseUrl: readDatabaseUrl(env.DATABASE_URL) }),
    ...(env.TOOLWRIGHT_LOG && { log: resolve(cwd, env.TOOLWRIGHT_LOG) }),
    ...(keepMs !== undefined && { keepMs }),
  };
  refuseOverlap(settings);
  return settings;
}

function findTools(given: string | undefined, cwd: string, workspace: string): string | undefined {
  const tools = resolve(cwd, given ?? "tools");
  const isOnlyAGuess = given === undefined && !existsSync(tools);
  return isOnlyAGuess && isInside(tools, workspace) ? undefined : tools;
}

function readDatabaseUrl(given: string): string {
  if (/^postgres(ql)?:\/\//.test(given) && URL.canParse(given)) return given;
  throw new CliError(
    "DATABASE_URL is not the URL of a PostgreSQL database. Write postgres://user:password@host:5432/database, or leave it out.",
  );
}

function readKeepDays(given: string | undefined): number | undefined {
  if (given === undefined || given === "") return undefined;
  const days = /^\d{1,4}$/.test(given) ? Number(given) : 0;
  if (days < 1) throw new CliError(`TOOLWRIGHT_KEEP_DAYS is "${given}". Set it to a number of days from 1 to 9999, or leave it out.`);
  return days * 24 * 60 * 60 * 1000;
}

function requirePolicy(path: string): string {
  if (!existsSync(path))
    throw new CliError(`There is no policy file ${path}. Check --policy or TOOLWRIGHT_POLICY, or leave it out to use the default policy.`);
  return path;
}

/** The workspace is what tools may write; code, rules and answers must not lie in it. */
function refuseOverlap({ workspace, tools, policyFile, state, log }: Settings): void {
  const others = [
    ["folder of tools", tools, "--tools"],
    ["policy file", policyFile, "--policy"],
    ["state folder", state, "TOOLWRIGHT_STATE"],
    ["log of calls", log, "TOOLWRIGHT_LOG"],
  ] as const;
  for (const [what, path, remedy] of others) {
    if (path !== undefined) refuseInWorkspace(path, { what, workspace, remedy });
  }
}

/** Throws for a file or folder in the workspace: whoever may write there must not decide what tools may do. */
export function refuseInWorkspace(
  path: string,
  { what, workspace, remedy }: { readonly what: string; readonly workspace: string; readonly remedy: string },
): void {
  if (!isInside(path, workspace)) return;
  throw new CliError(
    `The ${what} ${path} lies in the workspace ${workspace}, where every tool may write: a tool could change what tools may do. Choose another --workspace, or another place with ${remedy}.`,
  );
}

/** True for the folder itself too; links are followed. */
export function isInside(path: string, folder: string): boolean {
  const [inner, outer] = [realPath(path), realPath(folder)];
  return inner === outer || inner.startsWith(outer.endsWith(sep) ? outer : outer + sep);
}

/** Follows links of as much of the path as is there. */
function realPath(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    const parent = resolve(path, "..");
    return parent === path ? path : join(realPath(parent), path.slice(parent.length));
  }
}

/** Makes the workspace when it is missing, and says so. */
export async function ensureWorkspace({ workspace }: Settings, io: Pick<Io, "err">): Promise<void> {
  if (existsSync(workspace)) return;
  await mkdir(workspace, { recursive: true });
  io.err(`Made the workspace ${workspace}.\n`);
}
