import { createMcpDoor, openAccess, tokenAccess } from "@toolwright/doors/mcp";
import { ANSWER_APPROVALS, type Principal } from "@toolwright/engine";
import { localTenant, localUser } from "../caller.ts";
import { CliError } from "../cli-error.ts";
import { composeToolwright, type Toolwright } from "../compose.ts";
import { exitCodes } from "../exit-code.ts";
import type { Io } from "../io.ts";
import { tellPolicy } from "../output/tell-policy.ts";
import { tellReload } from "../output/tell-reload.ts";
import { describeServer } from "../serve/describe-server.ts";
import { listen } from "../serve/listen.ts";
import { mcpPath, route } from "../serve/route.ts";
import { type CommonOptions, ensureWorkspace, readSettings } from "../settings.ts";
import { version } from "../version.ts";
import { aborted } from "./aborted.ts";

export interface ServeOptions extends CommonOptions {
  readonly port: string;
  readonly host: string;
  readonly allowHost?: readonly string[];
  readonly token?: string;
}

const loopback = new Set(["127.0.0.1", "::1", "localhost"]);
/** Milliseconds for open requests to end after a signal. */
const graceMs = 5_000;

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
  const door = openDoor(toolwright, place);
  const server = await listen(route({ toolwright, mcp: door.fetch }), {
    ...place,
    onError: (error) => toolwright.logger.log("error", "A request failed.", { error }),
  }).catch(async (error: unknown) => {
    await toolwright.close();
    throw error;
  });
  for (const { message } of toolwright.loaded?.problems ?? []) io.err(`Left out: ${message}\n`);
  io.out(describeServer({ toolwright, mcpUrl: `${server.url}${mcpPath}`, hasToken: place.token !== undefined }));
  await aborted(io.signal);
  io.err("Stopping.\n");
  await server.close(graceMs, () => door.close());
  await toolwright.close();
  return exitCodes.done;
}

interface Place {
  readonly port: number;
  readonly host: string;
  readonly allowedHosts: readonly string[];
  readonly token: string | undefined;
}

/** Refuses to serve strangers: off loopback there must be a token (R-MC-3). */
function readPlace({ port, host, allowHost = [], token }: ServeOptions, { env }: Io): Place {
  const number = Number(port);
  if (!Number.isInteger(number) || number < 0 || number > 65_535)
    throw new CliError(`"${port}" is not a port. Use a number from 0 (any free port) to 65535.`);
  const secret = token ?? env.TOOLWRIGHT_TOKEN;
  if (!loopback.has(host) && secret === undefined) {
    throw new CliError(
      `Listening on ${host} would let others on the network use the tools. Set TOOLWRIGHT_TOKEN (openssl rand -hex 32 makes one), or listen on 127.0.0.1.`,
    );
  }
  const isNamed = !loopback.has(host) && host !== "0.0.0.0" && host !== "::";
  return { port: number, host, token: secret, allowedHosts: ["localhost", "127.0.0.1", "[::1]", ...(isNamed ? [host] : []), ...allowHost] };
}

function openDoor({ engine, logger }: Toolwright, { token, allowedHosts }: Place) {
  const principal: Principal = {
    tenant: localTenant,
    actor: { kind: "user", id: localUser() },
    permissions: [ANSWER_APPROVALS],
    door: "mcp",
    source: "mcp",
  };
  try {
    const authentication = token === undefined ? openAccess(principal) : tokenAccess(token, principal);
    return createMcpDoor({
      engine,
      logger,
      authentication,
      allowedHosts,
      allowedOrigins: allowedHosts,
      serverInfo: { name: "toolwright", version },
    });
  } catch (cause) {
    throw new CliError(cause instanceof Error ? cause.message : String(cause), { cause });
  }
}
