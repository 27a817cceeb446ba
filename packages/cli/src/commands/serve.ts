import { createMcpDoor } from "@toolwright/doors/mcp";
import { CliError } from "../cli-error.ts";
import { composeToolwright, type Toolwright } from "../compose.ts";
import { exitCodes } from "../exit-code.ts";
import type { Io } from "../io.ts";
import { tellPolicy } from "../output/tell-policy.ts";
import { tellReload } from "../output/tell-reload.ts";
import { type AuthSettings, readAuth } from "../serve/auth/auth-settings.ts";
import { isPersonThere } from "../serve/auth/authentication.ts";
import { type OpenedAuth, openAuth } from "../serve/auth/open-auth.ts";
import { describeServer } from "../serve/describe-server.ts";
import { keepCatalogue } from "../serve/keep-catalogue.ts";
import { listen } from "../serve/listen.ts";
import type { FetchHandler } from "../serve/node-listener.ts";
import { mcpPath, route } from "../serve/route.ts";
import { type CommonOptions, ensureWorkspace, readSettings } from "../settings.ts";
import { version } from "../version.ts";
import { aborted } from "./aborted.ts";
import { endWithin } from "./end-within.ts";
import { workInside } from "./worker.ts";

export interface ServeOptions extends CommonOptions {
  readonly port: string;
  readonly host: string;
  readonly allowHost?: readonly string[];
  readonly token?: string;
  readonly auth?: boolean;
  /** False: jobs are left to other processes. */
  readonly worker?: boolean;
}

const loopback = new Set(["127.0.0.1", "::1", "localhost"]);
/** Milliseconds for open requests to end after a signal. */
const graceMs = 5_000;
/** Milliseconds for jobs, calls and the store to be brought to an end after that. */
const closeMs = 15_000;

/** Serves until a signal comes. */
export async function serve(io: Io, options: ServeOptions): Promise<number> {
  const place = readPlace(options, io);
  const settings = readSettings(options, io);
  await ensureWorkspace(settings, io);
  const toolwright = await composeToolwright(settings, io, {
    onReload: (report) => tellReload(io, report),
    onPolicy: tellPolicy(io),
    holder: { command: "serve", once: true },
  });
  let stopWorker: ReturnType<typeof workInside> | undefined;
  let kept: Awaited<ReturnType<typeof keepCatalogue>> | undefined;
  try {
    kept = await keepCatalogue(toolwright, io);
    if (options.worker !== false) stopWorker = workInside(toolwright);
    await serveOn(toolwright, io, place);
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

async function serveOn(toolwright: Toolwright, io: Io, place: Place): Promise<void> {
  let handle: FetchHandler = () => new Response("The server is starting.\n", { status: 503, headers: { "retry-after": "1" } });
  const onError = (error: unknown) => toolwright.logger.log("error", "A request failed.", { error });
  const server = await listen((request) => handle(request), { ...place, onError });
  // Only now the port is known, and with it the address that tokens are for.
  const origin = place.auth?.origin ?? server.url;
  const opened = await openAuth(toolwright, io, { settings: place.auth, token: place.token, origin, mcpPath }).catch(
    async (error: unknown) => {
      await server.close(0, async () => {});
      throw error;
    },
  );
  const door = openDoor(toolwright, opened, [...place.allowedHosts, new URL(origin).hostname]);
  handle = route({ toolwright, mcp: door.fetch, auth: opened.routes });
  for (const { message } of toolwright.loaded?.problems ?? []) io.err(`Left out: ${message}\n`);
  io.out(describeServer({ toolwright, mcpUrl: `${origin}${mcpPath}`, hasToken: place.token !== undefined, auth: place.auth }));
  await aborted(io.signal);
  io.err("Stopping.\n");
  await server.close(graceMs, () => door.close());
}

interface Place {
  readonly port: number;
  readonly host: string;
  readonly allowedHosts: readonly string[];
  readonly token: string | undefined;
  readonly auth: AuthSettings | undefined;
}

/** Refuses to serve strangers: off loopback there must be a token or a sign-in (R-MC-3). */
function readPlace({ port, host, allowHost = [], token, auth: on }: ServeOptions, io: Io): Place {
  const number = Number(port);
  if (!Number.isInteger(number) || number < 0 || number > 65_535)
    throw new CliError(`"${port}" is not a port. Use a number from 0 (any free port) to 65535.`);
  const secret = token ?? io.env.TOOLWRIGHT_TOKEN;
  const auth = readAuth(on, !loopback.has(host), io);
  if (!loopback.has(host) && secret === undefined && !auth) {
    throw new CliError(
      `Listening on ${host} would let others on the network use the tools. Set TOOLWRIGHT_TOKEN (openssl rand -hex 32 makes one), let people sign in with --auth, or listen on 127.0.0.1.`,
    );
  }
  const isNamed = !loopback.has(host) && host !== "0.0.0.0" && host !== "::";
  const allowedHosts = ["localhost", "127.0.0.1", "[::1]", ...(isNamed ? [host] : []), ...allowHost];
  return { port: number, host, token: secret, auth, allowedHosts };
}

function openDoor({ engine, logger }: Toolwright, { authentication, resourceMetadataUrl }: OpenedAuth, allowedHosts: readonly string[]) {
  try {
    return createMcpDoor({
      engine,
      logger,
      authentication,
      approveInClient: isPersonThere,
      ...(resourceMetadataUrl !== undefined && { resourceMetadataUrl }),
      allowedHosts,
      allowedOrigins: allowedHosts,
      serverInfo: { name: "toolwright", version },
    });
  } catch (cause) {
    throw new CliError(cause instanceof Error ? cause.message : String(cause), { cause });
  }
}
