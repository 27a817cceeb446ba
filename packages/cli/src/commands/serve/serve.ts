import { createHookDoor } from "@toolwright/doors/hooks/door";
import { createMcpDoor } from "@toolwright/doors/mcp";
import { createRestDoor } from "@toolwright/doors/rest";
import { composeToolwright, type Toolwright } from "@toolwright/server/compose";
import { serverFacts } from "@toolwright/server/facts";
import { hookCapabilities } from "@toolwright/server/hooks";
import type { FetchHandler } from "@toolwright/server/http";
import {
  type Ask,
  apiPath,
  believedOperator,
  believePeer,
  describeAdmission,
  keepCatalogue,
  listen,
  mcpPath,
  type OpenedAuth,
  OwnDoor,
  openAuth,
  openLocalDoor,
  ownNames,
  type Place,
  route,
  turnCalls,
  webhookCalls,
} from "@toolwright/server/http";
import { readPolicy } from "@toolwright/server/policy-file";
import { skillPrompts } from "@toolwright/server/skill-prompts";
import { keptToken, markSettings, reachable, recordServer } from "@toolwright/server/state";
import { ensureToolsFolder } from "@toolwright/server/trust";
import { openViewApp } from "@toolwright/server/view-app";
import { CliError } from "../../cli-error.ts";
import { clientNames } from "../../client-config/client-names.ts";
import { exitCodes } from "../../exit-code.ts";
import { type AskOptions, readAsk } from "../../input/read-ask.ts";
import { type BindOptions, readBindOptions } from "../../input/read-bind-options.ts";
import type { Io } from "../../io.ts";
import { commandLineOf } from "../../output/command-line.ts";
import { describeServer } from "../../output/describe-server.ts";
import { tellPolicy } from "../../output/tell-policy.ts";
import { tellReload } from "../../output/tell-reload.ts";
import { type CommonOptions, ensureWorkspace, readSettings } from "../../settings.ts";
import { version } from "../../version.ts";
import { aborted } from "../context/aborted.ts";
import { endWithin } from "../context/end-within.ts";
import { workInside } from "../jobs/worker.ts";
import { type OpenedConsole, openConsole } from "./open-console.ts";
import { wantsConsole } from "./wants-console.ts";

export interface ServeOptions extends CommonOptions, BindOptions, AskOptions {
  /** False: jobs are left to other processes. */
  readonly worker?: boolean;
}

/** Milliseconds for open requests to end after a signal. */
const graceMs = 5_000;
/** Milliseconds of it for calls of agents to end, before their turns go on elsewhere. */
const leaveMs = 3_000;
/** Milliseconds for jobs, calls and the store to be brought to an end after that. */
const closeMs = 15_000;

/** Serves until a signal comes. */
export async function serve(io: Io, options: ServeOptions): Promise<number> {
  const settings = readSettings(options, io);
  const place = { ...readBindOptions(options, io, keptToken(settings.state).read()), ask: readAsk(options, io) };
  const pages = openConsole(io);
  await ensureWorkspace(settings, io);
  ensureToolsFolder(settings, io);
  const ownDoor = new OwnDoor(place);
  // Before the store is opened, and again with what is read then.
  ownDoor.refuse(await readPolicy(settings, io));
  const toolwright = await composeToolwright(settings, io, {
    refusePolicy: (policy) => ownDoor.refuse(policy),
    onReload: (report) => tellReload(io, report),
    onPolicy: tellPolicy(io),
    ownHosts: ownNames(place),
    metrics: true,
    holder: { command: "serve", stays: true, once: true, signal: io.signal },
  });
  let stopWorker: ReturnType<typeof workInside> | undefined;
  let kept: Awaited<ReturnType<typeof keepCatalogue>> | undefined;
  let begun: Promise<void> | undefined;
  try {
    await toolwright.store.registry.admit(describeAdmission(place));
    // What nobody waits for begins when requests are answered.
    const begin = async () => {
      kept = await keepCatalogue(toolwright, io);
      if (options.worker !== false) stopWorker = workInside(toolwright);
      pages.start();
    };
    await serveOn(toolwright, io, { place, ownDoor, pages, begin: () => (begun = begin()) });
  } finally {
    const closing = async () => {
      await begun?.catch(() => undefined);
      await kept?.stop();
      await stopWorker?.(graceMs);
      await toolwright.close();
    };
    await endWithin(closeMs, closing(), { toolwright, io });
  }
  return exitCodes.done;
}

interface Serving {
  readonly place: Place & { readonly ask: Ask };
  readonly ownDoor: OwnDoor;
  readonly pages: OpenedConsole;
  /** Called when it serves. */
  begin(): Promise<void>;
}

async function serveOn(toolwright: Toolwright, io: Io, { place, ownDoor, pages, begin }: Serving): Promise<void> {
  let handle: FetchHandler = () => new Response("The server is starting.\n", { status: 503, headers: { "retry-after": "1" } });
  const onError = (error: unknown) => toolwright.logger.log("error", "A request failed.", { error });
  const server = await listen((request) => handle(request), { ...place, onError, front: io.live?.front });
  // Only now the port is known, and with it the address that tokens are for.
  const origin = place.origin ?? server.url;
  const opening = async () => {
    ownDoor.listensAt(server.url, toolwright.policy);
    return openAuth(toolwright, io, { settings: place.auth, token: place.token, origin, mcpPath });
  };
  const opened = await opening().catch(async (error: unknown) => {
    await server.close(0, async () => {});
    throw error;
  });
  const commandLine = commandLineOf(toolwright.settings, io);
  const allowedHosts = [...place.allowedHosts, new URL(origin).hostname];
  const { mcp, rest, hooks } = openDoors(toolwright, opened, {
    commandLine,
    allowedHosts,
    ask: place.ask,
    publicOrigin: place.origin,
    viewApp: wantsConsole(io) ? openViewApp() : undefined,
  });
  const { metrics, telemetry } = toolwright;
  handle = route({
    ...{ toolwright, mcp: mcp.fetch, rest: rest.fetch, hooks, clients: clientNames, auth: opened.routes },
    console: { state: pages.state, hosts: allowedHosts, facts: { peopleSignIn: opened.routes !== undefined } },
    origin: opened.routes ? origin : place.origin,
    metrics: metrics && { metrics, token: place.metricsToken },
    within: telemetry?.within,
  });
  for (const { message } of toolwright.loaded?.problems ?? []) io.err(`Left out: ${message}\n`);
  const behind = origin === server.url ? undefined : server.url;
  const { token, auth, ask, others } = place;
  const local = await openLocalDoor({
    ...{ engine: toolwright.engine, logger: toolwright.logger, state: toolwright.settings.state },
    leftOut: () => toolwright.loaded?.problems.map(({ message }) => message) ?? [],
  });
  const forget = recordServer(toolwright.settings.state, {
    url: `${place.origin ?? reachable(server.url)}${mcpPath}`,
    listens: reachable(server.url),
    workspace: toolwright.settings.workspace,
    process: process.pid,
    socket: local.socket,
    version,
    marks: markSettings(toolwright.settings),
  });
  const reached = { mcpUrl: `${origin}${mcpPath}`, behind, hasConsole: wantsConsole(io), others };
  io.out(describeServer({ toolwright, ...reached, hasToken: token !== undefined, auth, ask }));
  try {
    await Promise.race([begin().then(() => aborted(io.signal)), aborted(io.signal)]);
    io.err("Stopping.\n");
  } finally {
    io.endWithin?.(graceMs + closeMs + leaveMs);
    pages.stop();
    forget();
    await server.close(graceMs, async () => {
      await toolwright.leaving.begin(leaveMs, toolwright.store.clock);
      await Promise.all([mcp.close(), rest.close(), local.close(graceMs)]);
    });
  }
}

interface DoorSettings {
  readonly commandLine: ReturnType<typeof commandLineOf>;
  readonly allowedHosts: readonly string[];
  readonly ask: Ask;
  /** Under which people reach the server; undefined for the address that each of them used. */
  readonly publicOrigin: string | undefined;
  readonly viewApp: (() => string | undefined) | undefined;
}

function openDoors(
  toolwright: Toolwright,
  { authentication, ofPages, resourceMetadataUrl }: OpenedAuth,
  { allowedHosts, ask, commandLine, publicOrigin, viewApp }: DoorSettings,
) {
  const { engine, logger, store } = toolwright;
  const believe = believePeer({ open: authentication.open, logger });
  const common = { engine, logger, authentication, allowedHosts, allowedOrigins: allowedHosts, resourceMetadataUrl };
  try {
    const mcp = createMcpDoor({
      ...common,
      commandLine,
      elicit: ask !== "never",
      ...(viewApp && { viewApp }),
      prompts: skillPrompts(store.catalogue),
      sealKeys: store.sealKeys,
      clientSessions: store.clientSessions,
      approveInClient: believe,
      ...serverFacts,
    });
    return {
      mcp,
      rest: createRestDoor({
        ...{ ...common, ...serverFacts, authentication: ofPages, path: apiPath },
        operator: believedOperator(believe),
        turns: turnCalls(store),
        webhooks: webhookCalls(toolwright),
        ownPages: { origin: publicOrigin },
      }),
      hooks: createHookDoor({ ...common, capabilitiesOf: hookCapabilities }),
    };
  } catch (cause) {
    throw new CliError(cause instanceof Error ? cause.message : String(cause), { cause });
  }
}
