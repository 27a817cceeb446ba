import { resolve } from "node:path";
import { Leaving } from "@toolwright/agents";
import { browserTools } from "@toolwright/browser/tools";
import { createMcpDoor, type McpDoorOptions } from "@toolwright/doors/mcp";
import { createRestDoor, type RestDoorOptions } from "@toolwright/doors/rest";
import { type AnyTool, type Engine, type EngineOptions, type Logger, ToolwrightError, type TypesOf } from "@toolwright/engine";
import { askedPermissions } from "@toolwright/engine/catalogue";
import {
  createMemorySecretStore,
  createRandomIds,
  createStderrLogger,
  defaultTenant,
  type Embedder,
  type SecretStore,
  visibleText,
} from "@toolwright/engine/ports";
import { type Keyring, openStore, type Store } from "@toolwright/postgres";
import { productTools } from "@toolwright/tools";
import { assembleEngine } from "../assemble-engine.ts";
import { startLoops } from "../capabilities/start-loops.ts";
import { openEmbedders } from "../embedders/open-embedders.ts";
import { Ends } from "../ends.ts";
import { openMachine } from "../machine/machine.ts";
import { startRetention, startSweeping } from "../retention.ts";
import { loopback } from "../serve/auth/auth-settings.ts";
import { believePeer } from "../serve/believe-peer.ts";
import { believedOperator } from "../serve/believed-operator.ts";
import { openViewApp } from "../serve/console/view-app.ts";
import { listen } from "../serve/listen.ts";
import { ownNames } from "../serve/place.ts";
import { apiPath, mcpPath, route } from "../serve/route.ts";
import { serverFacts } from "../serve/server-facts.ts";
import { isInside } from "../settings.ts";
import { SettingsError } from "../settings-error.ts";
import { makeFolder } from "../state/make-folder.ts";
import { traceCalls } from "../telemetry/trace-calls.ts";
import type { WorkspaceSite } from "../workspaces.ts";
import { authenticationFor, type Identify } from "./identify.ts";
import { createMemoryStore, type MemoryStore, tellUnserved } from "./memory-store.ts";

/** Where what lasts is kept: nowhere, in an embedded PostgreSQL in a folder, or in a PostgreSQL server. */
export type StoreChoice = "memory" | { readonly folder: string } | { readonly url: string };

/** The store that a choice opens. */
export type StoreOf<Choice extends StoreChoice> = Choice extends "memory" ? MemoryStore : Store;

/** What a program chooses of the MCP door; `createToolwright` gives it the rest. */
export type McpChoices = Partial<
  Omit<McpDoorOptions, "approveInClient" | "authentication" | "clientSessions" | "engine" | "logger" | "resourceMetadataUrl" | "sealKeys">
>;

/** What a program chooses of the REST door; the hosts and origins are those of `mcp`. */
export type RestChoices = Pick<RestDoorOptions, "maxAttachmentBytes" | "maxBodyBytes" | "maxDetached" | "maxJsonDepth" | "path">;

/** What `createToolwright` takes. Only the workspace is required. */
export interface ToolwrightOptions<Tools extends readonly AnyTool[] = readonly AnyTool[], Choice extends StoreChoice = StoreChoice>
  extends Pick<EngineOptions, "onApproval" | "onEvent" | "policy" | "telemetry"> {
  /**
   * The folder that tools of the tenant `default` reach, made if it is missing. A program with other tenants gives a function: the absolute path
   * of the folder of each call.
   */
  readonly workspace: string | ((site: WorkspaceSite) => string);
  /** Tools beside the built-in ones. `engine.scope(...).invoke` knows their types. */
  readonly tools?: Tools;
  /** Default `"memory"`: everything is gone when the process ends. */
  readonly store?: Choice;
  /**
   * Says who sends a request, by the program's own sign-in. *Contract:* undefined refuses the request; a rejection is logged and refuses it too.
   * Commands that tools run can send requests as well, so where a request comes from identifies nobody. Without it, the API keys of the store are
   * the only way in, and a store in memory admits nobody.
   */
  readonly identify?: Identify;
  /** The MCP door: its name, instructions, resources, prompts. `allowedHosts` names the hosts that requests may be addressed to; default: loopback. */
  readonly mcp?: McpChoices;
  /** The REST door: its path, and how large requests may be. */
  readonly rest?: RestChoices;
  /** Master keys of the secrets in a store that lasts. Without them a secret of the store cannot be read. */
  readonly keyring?: Keyring;
  /** Where tools get secrets from. Default: the store, and for a store in memory nowhere. */
  readonly secrets?: SecretStore;
  /** Environment variables: tools that require one are left out where it is missing, and the sandbox reads `DOCKER_HOST` and `TOOLWRIGHT_IMAGE`. Default: none. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** Finds memories by meaning, in a store that lasts: `createLocalEmbedder()` of `@toolwright/embeddings`. Default: words and names find them. `close` closes it. */
  readonly memoryEmbedder?: Embedder;
  /** Finds passages of documents by meaning, in a store that lasts. Default: words find them. `close` closes it. */
  readonly knowledgeEmbedder?: Embedder;
  /** Default: warnings and errors go to stderr, each message once. */
  readonly logger?: Logger;
}

/** Where to listen. */
export interface ListenChoice {
  /** Default 7777; 0 takes any free port. */
  readonly port?: number;
  /** Default 127.0.0.1. Another one needs `mcp.allowedHosts`. */
  readonly host?: string;
}

/** An address that serves, and how to end it. */
export interface ToolwrightAddress {
  readonly url: string;
  /** URL of the MCP door. */
  readonly mcpUrl: string;
  /** Takes no more requests and resolves once the open ones have ended, after 5 seconds at most. */
  close(): Promise<void>;
}

/** A Toolwright inside a program. */
export interface EmbeddedToolwright<Tools extends readonly AnyTool[] = readonly [], Choice extends StoreChoice = "memory"> {
  readonly engine: Engine<TypesOf<Tools>>;
  readonly store: StoreOf<Choice>;
  /** The MCP door, at whatever path the program mounts it. Never rejects. Health and pages are the program's own. */
  fetch(request: Request): Promise<Response>;
  /** The REST door, for paths below `/api`, or below `rest.path`. Never rejects. */
  api(request: Request): Promise<Response>;
  /** Serves `/mcp`, `/api` and `/health`. Rejects with `server_unavailable` when the port is taken. */
  listen(choice?: ListenChoice): Promise<ToolwrightAddress>;
  /**
   * Ends requests, calls, the sandbox and the store, also when one of them fails; then rejects with the first failure. Turns of agents in a store that
   * lasts are let go of: they go on when the program, or another process of the store, starts.
   */
  close(): Promise<void>;
}

/** Milliseconds for open requests to end. */
const graceMs = 5_000;
/** Milliseconds for calls of agents to end before their turns are let go of. */
const leaveMs = 3_000;
/** As of the command `serve`. */
const defaultPort = 7777;

/**
 * Puts an engine with the built-in tools, a store, the sandbox of this machine and the MCP door together, for a program to mount. Rejects with
 * the code of the part that cannot be had, with everything else ended.
 *
 * @example examples/embedded-server/main.ts#mount
 * ```ts
 * const toolwright = await createToolwright({
 *   workspace,
 *   tools: [wordCount],
 *   policy: { allow: ["word_count"] },
 *   identify(request) {
 *     const user = accounts.get(request.headers.get("authorization") ?? "");
 *     return user === undefined ? undefined : { tenant: "default", actor: { kind: "user", id: user } };
 *   },
 * });
 * const app = (request: Request) => (new URL(request.url).pathname === "/mcp" ? toolwright.fetch(request) : new Response("My program."));
 * ```
 */
export async function createToolwright<const Tools extends readonly AnyTool[] = readonly [], const Choice extends StoreChoice = "memory">(
  options: ToolwrightOptions<Tools, Choice>,
): Promise<EmbeddedToolwright<Tools, Choice>> {
  const ends = new Ends();
  try {
    return (await open(options, ends)) as EmbeddedToolwright<Tools, Choice>;
  } catch (error) {
    await ends.close().catch(() => undefined);
    throw error;
  }
}

async function open(options: ToolwrightOptions, ends: Ends): Promise<EmbeddedToolwright<readonly [], StoreChoice>> {
  const {
    policy = "supervised",
    env = {},
    logger = createStderrLogger(),
    onApproval,
    onEvent,
    mcp = {},
    telemetry = traceCalls(),
  } = options;
  const workspaceOf = workspaceOfCall(options);
  const ownHosts = ownNames({ allowedHosts: mcp.allowedHosts ?? [], origin: undefined });
  const machine = openMachine({ env }, logger, ownHosts);
  ends.add(() => machine.close());
  const [opened, looked] = await Promise.allSettled([openChosen(options, logger), machine.look()]);
  const { store, lasting } = settle(opened);
  if (lasting) ends.add(() => lasting.close());
  settle(looked);
  const { secrets, tenantKeys } = await openSecrets(options, lasting);
  const tools = [...productTools, ...browserTools, ...(options.tools ?? [])];
  const { embedders, close } = openEmbedders(openersOf(options), secrets);
  ends.add(close);
  // What a store in memory holds ends with the process.
  const leaving = lasting && new Leaving();
  const engine = assembleEngine({
    ...{ store, policy, secrets, tenantKeys, machine, workspaceOf, env, logger, telemetry, tools, ownHosts },
    ...(leaving && { leaving }),
    ...embedders,
    ...(onApproval && { onApproval }),
    ...(onEvent && { onEvent }),
  });
  ends.add(() => engine.close());
  if (!lasting) tellUnserved(engine, logger);
  if (lasting) ends.add(startRetention(lasting, { logger }));
  if (typeof options.workspace === "string") ends.add(startSweeping([resolve(options.workspace)], logger));
  const agents = leaving && runsAgents(tools) ? { engine, leaving } : undefined;
  const loops = await startLoops({ store, embedders, logger, agents });
  ends.add(() => loops.stop());
  const identity = store.openIdentity({ knownPermissions: () => askedPermissions(engine) });
  const authentication = authenticationFor({ identify: options.identify, identity, isLasting: lasting !== undefined });
  const { mcp: door, rest } = openDoors(options, { engine, logger, authentication, store });
  ends.add(() => door.close());
  ends.add(() => rest.close());
  const leave = leaving && (() => leaving.begin(leaveMs, store.clock));
  if (leave) ends.add(leave);
  const handle = route({ toolwright: { engine, store: lasting ?? {} }, mcp: door.fetch, rest: rest.fetch });
  return {
    ...{ engine, store },
    fetch: (request) => door.fetch(withHost(request)),
    api: (request) => rest.fetch(withHost(request)),
    async listen({ port = defaultPort, host = "127.0.0.1" } = {}) {
      refuseUnnamed(host, mcp.allowedHosts);
      ends.refuseClosed();
      const onError = (error: unknown) => logger.log("error", "A request failed.", { error });
      const server = await listen(handle, { host, port, onError });
      let closing: Promise<void> | undefined;
      const close = (finish = async () => {}) => (closing ??= server.close(graceMs, finish));
      // The door ends with the last of its addresses, and not with one that its program gives up.
      ends.add(() =>
        close(async () => {
          await leave?.();
          await door.close();
        }),
      );
      return { url: server.url, mcpUrl: `${server.url}${mcpPath}`, close: () => close() };
    },
    close: () => ends.close(),
  };
}

/** A program may bring secrets of its own; what calls keep is sealed under the keys of the store all the same. */
async function openSecrets({ secrets, keyring = noKeys }: Pick<ToolwrightOptions, "keyring" | "secrets">, lasting: Store | undefined) {
  const kept = await lasting?.openSecrets(keyring);
  return { secrets: secrets ?? kept ?? createMemorySecretStore(), tenantKeys: kept?.tenantKeys };
}

function openersOf({ memoryEmbedder, knowledgeEmbedder }: Pick<ToolwrightOptions, "knowledgeEmbedder" | "memoryEmbedder">) {
  const opener = (embedder: Embedder) => async () => embedder;
  return {
    ...(memoryEmbedder && { memoryEmbedder: opener(memoryEmbedder) }),
    ...(knowledgeEmbedder && { knowledgeEmbedder: opener(knowledgeEmbedder) }),
  };
}

const runsAgents = (tools: readonly AnyTool[]) => tools.some(({ effects }) => effects?.agents === "run");

interface Opening extends Pick<McpDoorOptions, "engine" | "authentication"> {
  readonly logger: Logger;
  readonly store: MemoryStore | Store;
}

/** The doors that serve HTTP, of one engine and one way to know who asks. */
function openDoors({ mcp = {}, rest }: ToolwrightOptions, { engine, logger, authentication, store }: Opening) {
  const believe = believePeer({ open: false, logger });
  const { allowedHosts, allowedOrigins = allowedHosts } = mcp;
  const hosts = { ...(allowedHosts && { allowedHosts }), ...(allowedOrigins && { allowedOrigins }) };
  const { sealKeys, clientSessions } = store;
  return {
    mcp: createMcpDoor({
      ...serverFacts,
      viewApp: openViewApp(),
      ...mcp,
      ...hosts,
      engine,
      logger,
      sealKeys,
      clientSessions,
      authentication,
      approveInClient: believe,
    }),
    rest: createRestDoor({
      ...serverFacts,
      path: apiPath,
      ...rest,
      ...hosts,
      engine,
      logger,
      authentication,
      operator: believedOperator(believe),
    }),
  };
}

/** What was made by a program, and not read from a connection, says in its URL alone whom it is for. */
function withHost(request: Request): Request {
  if (request.headers.has("host")) return request;
  const headers = new Headers(request.headers);
  headers.set("host", new URL(request.url).host);
  return new Request(request, { headers });
}

/** Finds the workspace of a call. The folder of one tenant is not another one's. */
function workspaceOfCall({ workspace }: Pick<ToolwrightOptions, "workspace">): (site: WorkspaceSite) => string {
  if (typeof workspace === "function") return workspace;
  const folder = resolve(workspace);
  makeFolder(folder);
  return ({ principal: { tenant } }) => {
    if (tenant === defaultTenant) return folder;
    throw new ToolwrightError(
      "workspace_missing",
      `The tenant "${visibleText(tenant)}" has no workspace: the one folder of this server is the tenant ${defaultTenant}'s. Give createToolwright a function as workspace.`,
    );
  };
}

interface Chosen {
  readonly store: MemoryStore | Store;
  /** The store, if it lasts. */
  readonly lasting?: Store;
}

async function openChosen({ store: choice = "memory", workspace }: ToolwrightOptions, logger: Logger): Promise<Chosen> {
  if (choice === "memory") return { store: createMemoryStore() };
  const place = "url" in choice ? { url: choice.url } : { folder: resolve(choice.folder) };
  if (place.folder !== undefined && typeof workspace === "string" && isInside(place.folder, resolve(workspace)))
    throw new SettingsError(
      `The store ${place.folder} lies in the workspace ${resolve(workspace)}, where every tool may write: a tool could change what tools may do. Choose another folder for one of them.`,
    );
  const lasting = await openStore({
    ...place,
    process: createRandomIds().next("prc"),
    holder: `createToolwright (process ${process.pid})`,
    warn: (message) => logger.log("warn", message),
  });
  return { store: lasting, lasting };
}

/** For a program that gave none: secrets are missing in its own words. */
const noKeys: Keyring = {
  current() {
    throw new ToolwrightError("secret_unreadable", "There is no master key. Give createToolwright a `keyring`, made with createKeyring.");
  },
  find: () => undefined,
};

/** Every request would be refused there, since nobody addresses one to a loopback name. */
function refuseUnnamed(host: string, allowedHosts: readonly string[] | undefined): void {
  if (loopback.has(host) || allowedHosts !== undefined) return;
  throw new SettingsError(
    `On ${host} others reach this server, and it answers only what is addressed to this machine. Name its hosts: mcp: { allowedHosts: ["tools.example.org"] }.`,
  );
}

function settle<Value>(settled: PromiseSettledResult<Value>): Value {
  if (settled.status === "rejected") throw settled.reason;
  return settled.value;
}
