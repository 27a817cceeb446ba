import { createMcpDoor } from "@toolwright/doors/mcp";
import { CliError } from "../../cli-error.ts";
import { composeToolwright, type Toolwright } from "../../compose.ts";
import { exitCodes } from "../../exit-code.ts";
import type { Io } from "../../io.ts";
import { tellPolicy } from "../../output/tell-policy.ts";
import { tellReload } from "../../output/tell-reload.ts";
import { readPolicy } from "../../policy-file/read-policy.ts";
import { type OpenedAuth, openAuth } from "../../serve/auth/open-auth.ts";
import { believePeer } from "../../serve/believe-peer.ts";
import { commandLineOf } from "../../serve/command-line.ts";
import { describeAdmission } from "../../serve/describe-admission.ts";
import { describeServer } from "../../serve/describe-server.ts";
import { keepCatalogue } from "../../serve/keep-catalogue.ts";
import { keptToken } from "../../serve/kept-token.ts";
import { listen } from "../../serve/listen.ts";
import type { FetchHandler } from "../../serve/node-listener.ts";
import { OwnDoor } from "../../serve/own-door.ts";
import { type Ask, type AskOptions, readAsk } from "../../serve/read-ask.ts";
import { ownNames, type Place, type PlaceOptions, readPlace } from "../../serve/read-place.ts";
import { mcpPath, route } from "../../serve/route.ts";
import { serverFacts } from "../../serve/server-facts.ts";
import { reachable, recordServer } from "../../serve/server-record.ts";
import { type CommonOptions, ensureWorkspace, readSettings } from "../../settings.ts";
import { ensureToolsFolder } from "../../trust/tools-folder.ts";
import { aborted } from "../context/aborted.ts";
import { endWithin } from "../context/end-within.ts";
import { workInside } from "../jobs/worker.ts";

export interface ServeOptions extends CommonOptions, PlaceOptions, AskOptions {
  /** False: jobs are left to other processes. */
  readonly worker?: boolean;
}

/** Milliseconds for open requests to end after a signal. */
const graceMs = 5_000;
/** Milliseconds for jobs, calls and the store to be brought to an end after that. */
const closeMs = 15_000;

/** Serves until a signal comes. */
export async function serve(io: Io, options: ServeOptions): Promise<number> {
  const settings = readSettings(options, io);
  const place = { ...readPlace(options, io, keptToken(settings.state).read()), ask: readAsk(options, io) };
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
    holder: { command: "serve", once: true },
  });
  let stopWorker: ReturnType<typeof workInside> | undefined;
  let kept: Awaited<ReturnType<typeof keepCatalogue>> | undefined;
  try {
    await toolwright.store.registry.admit(describeAdmission(place));
    kept = await keepCatalogue(toolwright, io);
    if (options.worker !== false) stopWorker = workInside(toolwright);
    await serveOn(toolwright, io, { place, ownDoor });
  } finally {
    const closing = async () => {
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
}

async function serveOn(toolwright: Toolwright, io: Io, { place, ownDoor }: Serving): Promise<void> {
  let handle: FetchHandler = () => new Response("The server is starting.\n", { status: 503, headers: { "retry-after": "1" } });
  const onError = (error: unknown) => toolwright.logger.log("error", "A request failed.", { error });
  const server = await listen((request) => handle(request), { ...place, onError });
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
  const door = openDoor(toolwright, opened, {
    commandLine,
    allowedHosts: [...place.allowedHosts, new URL(origin).hostname],
    ask: place.ask,
  });
  handle = route({ toolwright, origin: opened.routes ? origin : place.origin, mcp: door.fetch, auth: opened.routes });
  for (const { message } of toolwright.loaded?.problems ?? []) io.err(`Left out: ${message}\n`);
  const behind = origin === server.url ? undefined : server.url;
  const { token, auth, ask, others } = place;
  const forget = recordServer(toolwright.settings.state, {
    url: `${place.origin ?? reachable(server.url)}${mcpPath}`,
    listens: reachable(server.url),
    workspace: toolwright.settings.workspace,
    process: process.pid,
  });
  io.out(describeServer({ toolwright, mcpUrl: `${origin}${mcpPath}`, behind, hasToken: token !== undefined, auth, ask, others }));
  await aborted(io.signal);
  io.err("Stopping.\n");
  forget();
  await server.close(graceMs, () => door.close());
}

interface DoorSettings {
  readonly commandLine: ReturnType<typeof commandLineOf>;
  readonly allowedHosts: readonly string[];
  readonly ask: Ask;
}

function openDoor(
  { engine, logger, store }: Toolwright,
  { authentication, resourceMetadataUrl }: OpenedAuth,
  { allowedHosts, ask, commandLine }: DoorSettings,
) {
  try {
    return createMcpDoor({
      engine,
      logger,
      authentication,
      commandLine,
      elicit: ask !== "never",
      sealKeys: store.sealKeys,
      clientSessions: store.clientSessions,
      approveInClient: believePeer({ open: authentication.open, logger }),
      ...(resourceMetadataUrl !== undefined && { resourceMetadataUrl }),
      allowedHosts,
      allowedOrigins: allowedHosts,
      ...serverFacts,
    });
  } catch (cause) {
    throw new CliError(cause instanceof Error ? cause.message : String(cause), { cause });
  }
}
