import { existsSync, statSync } from "node:fs";
import { join, resolve } from "node:path";
import type { Embedder } from "@toolwright/engine/ports";
import { localTenant } from "@toolwright/server/record";
import {
  isInside,
  type KeepPeriods,
  type OpenEmbedder,
  policyNames,
  refuseInWorkspace,
  type Settings,
  type WorkspaceFolders,
} from "@toolwright/server/settings";
import { cacheFolder, configurationFolder, makeFolder, stateFolder } from "@toolwright/server/state";
import { describeSystemError } from "@toolwright/server/text";
import { CliError } from "./cli-error.ts";
import type { Io } from "./io.ts";

/** The options that every command which uses tools has, as commander gives them. */
export interface CommonOptions {
  readonly workspace?: string;
  readonly tools?: string;
  readonly policy?: string;
  readonly json?: boolean;
  readonly verbose?: boolean;
}

/**
 * Option, then environment, then default. A policy is never looked for in the current folder or the workspace: what an agent can
 * write must not decide what the agent may do (R-AP-8).
 */
export function readSettings(options: CommonOptions, { env, cwd }: Pick<Io, "env" | "cwd">): Settings {
  const workspace = resolve(cwd, readPath("workspace", options, env) ?? "workspace");
  const tools = readPath("tools", options, env);
  const named = readPath("policy", options, env);
  const policyPlaces = policyNames.map((name) => join(configurationFolder(env), name));
  const connections = readConnections(env.TOOLWRIGHT_CONNECTIONS);
  const loadLimitMs = readLoadLimit(env.TOOLWRIGHT_LOAD_SECONDS);
  const settings = {
    workspace,
    tenantWorkspaces: resolve(cwd, env.TOOLWRIGHT_TENANT_WORKSPACES || `${workspace}.tenants`),
    workspacePer: readWorkspacePer(env.TOOLWRIGHT_WORKSPACE_PER),
    tools: findTools(tools, cwd, workspace),
    toolsNamed: tools !== undefined,
    policyFile: named === undefined ? policyPlaces.find((path) => existsSync(path)) : requirePolicy(resolve(cwd, named)),
    ...(named === undefined && { policyPlaces }),
    state: stateFolder(env),
    cache: cacheFolder(env),
    ...(env.DATABASE_URL && { databaseUrl: readDatabaseUrl(env.DATABASE_URL) }),
    ...(connections !== undefined && { connections }),
    ...(loadLimitMs !== undefined && { loadLimitMs }),
    ...readEmbedders(env),
    artifactQuotas: readQuotas(env),
    keep: readKeep(env),
    model: readModel(env),
    ...readSearch(env),
  };
  refuseFile(workspace, { what: "workspace", remedy: "--workspace or TOOLWRIGHT_WORKSPACE" });
  // Whatever came with somebody's repository ends no command.
  if (settings.tools !== undefined && settings.toolsNamed)
    refuseFile(settings.tools, { what: "folder of tools", remedy: "--tools or TOOLWRIGHT_TOOLS" });
  refuseOverlap(settings);
  return settings;
}

/** Throws for what is there and no folder. */
function refuseFile(path: string, { what, remedy }: { readonly what: string; readonly remedy: string }): void {
  const advice = `Name a folder with ${remedy}.`;
  try {
    if (statSync(path, { throwIfNoEntry: false })?.isDirectory() !== false) return;
  } catch (error) {
    throw new CliError(`The ${what} ${path} cannot be opened: ${describeSystemError(error)}. ${advice}`);
  }
  throw new CliError(`The ${what} ${path} is a file, not a folder. ${advice}`);
}

const pathKinds = { workspace: "folder", tools: "folder", policy: "file" } as const;

/**
 * As it was named; undefined for the default. An empty one would be the current folder: compose files make one of a variable that is not set,
 * which is as good as none, and a script does so in an option, where somebody meant to name one.
 */
function readPath(what: keyof typeof pathKinds, { [what]: option }: CommonOptions, env: Io["env"]): string | undefined {
  if (option === "") throw new CliError(`--${what} is empty. Name a ${pathKinds[what]}, or leave the option out.`);
  return option ?? (env[`TOOLWRIGHT_${what.toUpperCase()}`] || undefined);
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

function readWorkspacePer(given = ""): Settings["workspacePer"] {
  if (given === "" || given === "tenant" || given === "conversation") return given || "tenant";
  throw new CliError(`TOOLWRIGHT_WORKSPACE_PER is "${given}". Set it to tenant or to conversation, or leave it out for tenant.`);
}

/** Two at least: with one, a slow query would hold up everything else, signs of life too. */
function readConnections(given: string | undefined): number | undefined {
  if (given === undefined || given === "") return undefined;
  const connections = /^\d{1,3}$/.test(given) ? Number(given) : 0;
  if (connections < 2)
    throw new CliError(`TOOLWRIGHT_CONNECTIONS is "${given}". Set it to a number from 2 to 999, or leave it out for 10.`);
  return connections;
}

function readLoadLimit(given: string | undefined): number | undefined {
  if (given === undefined || given === "") return undefined;
  if (!/^[1-9]\d{0,2}$/.test(given))
    throw new CliError(`TOOLWRIGHT_LOAD_SECONDS is "${given}". Set it to a number of seconds from 1 to 999, or leave it out for 10.`);
  return Number(given) * 1000;
}

/** What finds tools, memories and documents by their meaning. Nothing is loaded before it is asked. */
function readEmbedders(env: Io["env"]): Pick<Settings, "openEmbedder" | "memoryEmbedder" | "knowledgeEmbedder"> {
  const tools = readChoice(env, "TOOLWRIGHT_EMBEDDER", { choices: ["local", "none"], usual: "local" });
  const choices = ["local", "openai", "none"] as const;
  const memory = readChoice(env, "TOOLWRIGHT_MEMORY_EMBEDDER", { choices, usual: "local" });
  const knowledge = readChoice(env, "TOOLWRIGHT_KNOWLEDGE_EMBEDDER", { choices, usual: "none" });
  const openOpenAI = memory === "openai" || knowledge === "openai" ? readOpenAI(env) : undefined;
  const openers = { local: openLocal, openai: openOpenAI, none: undefined };
  const { [memory]: memoryEmbedder, [knowledge]: knowledgeEmbedder } = openers;
  return {
    ...(tools === "local" && { openEmbedder: openLocal }),
    ...(memoryEmbedder && { memoryEmbedder }),
    ...(knowledgeEmbedder && { knowledgeEmbedder }),
  };
}

function readChoice<Choice extends string>(
  env: Io["env"],
  name: string,
  { choices, usual }: { readonly choices: readonly Choice[]; readonly usual: NoInfer<Choice> },
): Choice {
  const given = env[name] || usual;
  const choice = choices.find((each) => each === given);
  if (choice !== undefined) return choice;
  const others = choices.slice(0, -1).join(", ");
  throw new CliError(`${name} is "${given}". Set it to ${others} or to ${choices.at(-1)}, or leave it out for ${usual}.`);
}

let local: Promise<Embedder> | undefined;

/** The embedder of this process: one thread with one model, which all callers share. */
function openLocal(): Promise<Embedder> {
  local ??= import("@toolwright/embeddings").then(({ createLocalEmbedder }) => createLocalEmbedder());
  return local;
}

function readOpenAI(env: Io["env"]): OpenEmbedder {
  const { TOOLWRIGHT_EMBEDDINGS_URL: url = "", TOOLWRIGHT_EMBEDDINGS_MODEL: model = "", TOOLWRIGHT_EMBEDDINGS_KEY: name } = env;
  if (!(/^https?:\/\//.test(url) && URL.canParse(url)))
    throw new CliError(
      `TOOLWRIGHT_EMBEDDINGS_URL is "${url}". Write the address of an embeddings server up to and with /v1, such as http://127.0.0.1:11434/v1.`,
    );
  if (model === "")
    throw new CliError("TOOLWRIGHT_EMBEDDINGS_MODEL is not set. Name a model of the embeddings server, such as text-embedding-3-small.");
  return async ({ fetch, secret }) => {
    const { openOpenAIEmbedder } = await import("@toolwright/embeddings");
    return openOpenAIEmbedder({ url, model, fetch, ...(name && { key: () => secret(name, new URL(url).origin) }) });
  };
}

const quotaNames = {
  sessionBytes: "TOOLWRIGHT_ARTIFACTS_SESSION_MB",
  tenantBytes: "TOOLWRIGHT_ARTIFACTS_TENANT_MB",
} as const;

function readQuotas(env: Io["env"]): Settings["artifactQuotas"] {
  const given = Object.entries(quotaNames).flatMap(([quota, name]) => {
    const megabytes = env[name];
    if (megabytes === undefined || megabytes === "") return [];
    if (!/^[1-9]\d{0,7}$/.test(megabytes)) throw new CliError(`${name} is "${megabytes}". Set it to a number of MB, or leave it out.`);
    return [[quota, Number(megabytes) * 1024 * 1024]];
  });
  return Object.fromEntries(given);
}

const keepNames = {
  overMs: "TOOLWRIGHT_KEEP_DAYS",
  logMs: "TOOLWRIGHT_KEEP_LOG_DAYS",
  artifactsMs: "TOOLWRIGHT_KEEP_ARTIFACTS_DAYS",
} as const;

function readKeep(env: Io["env"]): KeepPeriods {
  const given = Object.entries(keepNames).flatMap(([period, name]) => {
    const days = env[name];
    if (days === undefined || days === "") return [];
    if (!/^[1-9]\d{0,3}$/.test(days))
      throw new CliError(`${name} is "${days}". Set it to a number of days from 1 to 9999, or leave it out.`);
    return [[period, Number(days) * 24 * 60 * 60 * 1000]];
  });
  return Object.fromEntries(given);
}

/** What is not there is as good as empty: compose files make one of a variable that is not set. */
function readModel(env: Io["env"]): Settings["model"] {
  const { TOOLWRIGHT_MODEL: name, TOOLWRIGHT_MODEL_URL: url, TOOLWRIGHT_MODEL_KEY: key, TOOLWRIGHT_MODEL_WINDOW: window } = env;
  if (name && !/^[a-z][a-z0-9-]*\/.+$/.test(name))
    throw new CliError(`TOOLWRIGHT_MODEL is "${name}". Write provider/name, such as openai-compatible/qwen3, or leave it out.`);
  if (url && !(/^https?:\/\//.test(url) && URL.canParse(url)))
    throw new CliError(`TOOLWRIGHT_MODEL_URL is "${url}". Write the address of a model server, such as http://127.0.0.1:11434/v1.`);
  if (window && !/^[1-9]\d{3,7}$/.test(window))
    throw new CliError(`TOOLWRIGHT_MODEL_WINDOW is "${window}". Set it to a number of tokens from 1000 to 99999999, or leave it out.`);
  const operator = readKeys(modelKeys, env);
  return {
    ...{ ...(name && { name }), ...(url && { url }), ...(key && { key }), ...(window && { window: Number(window) }) },
    ...(operator && { operator }),
  };
}

/** The operator's own keys, for the tenant of this machine alone. */
function readKeys(names: readonly (readonly [variable: string, secret: string])[], env: Io["env"]) {
  const keys = new Map(names.flatMap(([variable, secret]) => (env[variable] ? [[secret, env[variable]]] : [])));
  return keys.size > 0 ? { tenant: localTenant, keys } : undefined;
}

function readSearch(env: Io["env"]): Pick<Settings, "search"> {
  const { TOOLWRIGHT_SEARXNG_URL: searxngUrl } = env;
  if (searxngUrl && !(/^https?:\/\//.test(searxngUrl) && URL.canParse(searxngUrl)))
    throw new CliError(`TOOLWRIGHT_SEARXNG_URL is "${searxngUrl}". Write the address of a SearXNG server, such as http://127.0.0.1:8888.`);
  const keys = readKeys(searchKeys, env);
  return keys || searxngUrl ? { search: { ...(keys && { keys }), ...(searxngUrl && { searxngUrl }) } } : {};
}

const searchKeys = [
  ["BRAVE_SEARCH_API_KEY", "brave_search_api_key"],
  ["TAVILY_API_KEY", "tavily_api_key"],
  ["EXA_API_KEY", "exa_api_key"],
] as const;

/** Variables that the providers' own programs read, and the secrets that agents of other tenants have in their place. */
const modelKeys = [
  ["OPENAI_API_KEY", "openai_api_key"],
  ["ANTHROPIC_API_KEY", "anthropic_api_key"],
  ["AWS_ACCESS_KEY_ID", "aws_access_key_id"],
  ["AWS_SECRET_ACCESS_KEY", "aws_secret_access_key"],
  ["AWS_SESSION_TOKEN", "aws_session_token"],
  ["AWS_REGION", "aws_region"],
] as const;

function requirePolicy(path: string): string {
  if (!existsSync(path))
    throw new CliError(`There is no policy file ${path}. Check --policy or TOOLWRIGHT_POLICY, or leave it out to use the default policy.`);
  return path;
}

/** A workspace is what tools may write; code, rules and answers must not lie in one, and no tenant's in another's. */
function refuseOverlap({ tools, policyFile, state, ...places }: Settings): void {
  const others = [
    ["folder of tools", tools, "--tools"],
    ["policy file", policyFile, "--policy"],
    ["state folder", state, "TOOLWRIGHT_STATE"],
  ] as const;
  for (const [what, path, remedy] of others) {
    if (path !== undefined) refuseInWorkspace(path, { what, places, remedy });
  }
  refuseBelow(tools, places);
  const { workspace, tenantWorkspaces } = places;
  if (isInside(tenantWorkspaces, workspace) || isInside(workspace, tenantWorkspaces))
    throw new CliError(
      `The workspace ${workspace} and the folder ${tenantWorkspaces} for the workspaces of other tenants lie in one another, so tenants would see each other's files. Choose another TOOLWRIGHT_TENANT_WORKSPACES.`,
    );
}

/** The folder of tools is read with all that is below it. */
function refuseBelow(tools: string | undefined, { workspace, tenantWorkspaces }: WorkspaceFolders): void {
  const inner = tools === undefined ? undefined : [workspace, tenantWorkspaces].find((folder) => isInside(folder, tools));
  if (inner === undefined) return;
  throw new CliError(
    `The workspace ${inner} lies in the folder of tools ${tools}: a tool could write another tool there. Choose another --workspace, or another place with --tools.`,
  );
}

/** Makes the workspace when it is missing, and says so. */
export async function ensureWorkspace({ workspace }: Settings, io: Pick<Io, "err">): Promise<void> {
  if (existsSync(workspace)) return;
  try {
    makeFolder(workspace);
  } catch (cause) {
    throw new CliError(
      `The workspace ${workspace} cannot be made: ${describeSystemError(cause)}. Name another one with --workspace or TOOLWRIGHT_WORKSPACE.`,
      { cause },
    );
  }
  io.err(`Made the workspace ${workspace}.\n`);
}
