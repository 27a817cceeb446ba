import type { HashedToken } from "@toolwright/doors/mcp";
import { loopback, type Place, readAuth, readClientAddress, readPublicOrigin } from "@toolwright/server/http";
import { CliError } from "../cli-error.ts";
import type { Io } from "../io.ts";

export interface BindOptions {
  readonly port: string;
  readonly host: string;
  readonly allowHost?: readonly string[];
  readonly token?: string;
  readonly auth?: boolean;
}

/** Refuses to serve strangers: for others than this machine there must be a token or a sign-in (R-MC-3). */
export function readBindOptions(
  { port, host, allowHost = [], token, auth: on }: BindOptions,
  { env }: Pick<Io, "env">,
  kept?: HashedToken,
): Place {
  const number = /^\d{1,5}$/.test(port) ? Number(port) : Number.NaN;
  if (!(number <= 65_535)) throw new CliError(`"${port}" is not a port. Use a number from 0 (any free port) to 65535.`);
  if (host === "") throw new CliError("--host is empty, which would listen on every address. Name one, or leave it out for 127.0.0.1.");
  const secret = token === undefined ? (readToken(env.TOOLWRIGHT_TOKEN, "TOOLWRIGHT_TOKEN") ?? kept) : readToken(token, "--token");
  const auth = readAuth(on, { env });
  const origin = readPublicOrigin(env);
  const isLocal = loopback.has(host);
  if (!isLocal && secret === undefined && !auth)
    throw new CliError(
      `Listening on ${host} would let others on the network use the tools. Make a token with toolwright token, let people sign in with --auth, or listen on 127.0.0.1.`,
    );
  if (!isLocal && auth && origin === undefined)
    throw new CliError(
      "People who sign in over the network need an address that is theirs and encrypted. Set TOOLWRIGHT_URL to the https address of this server, as its reverse proxy serves it.",
    );
  if (origin !== undefined && !loopback.has(new URL(origin).hostname) && secret === undefined && !auth)
    throw new CliError(
      `TOOLWRIGHT_URL says that others reach this server at ${origin}, where anybody could use the tools. Make a token with toolwright token, let people sign in with --auth, or leave TOOLWRIGHT_URL out.`,
    );
  const isNamed = !isLocal && host !== "0.0.0.0" && host !== "::";
  return {
    port: number,
    host,
    origin,
    addressOf: readClientAddress(env.TOOLWRIGHT_TRUSTED_PROXIES),
    allowedHosts: ["localhost", "127.0.0.1", "[::1]", ...(isNamed ? [host] : []), ...allowHost],
    token: secret,
    auth,
    metricsToken: readToken(env.TOOLWRIGHT_METRICS_TOKEN, "TOOLWRIGHT_METRICS_TOKEN"),
    others: isLocal || origin !== undefined ? undefined : { name: isNamed ? (allowHost[0] ?? host) : allowHost[0] },
  };
}

/** The door refuses a shorter one as a defect. */
const shortestToken = 16;

/** An empty one is refused and not passed over: whoever sets a token wants one to be asked for. */
function readToken(token: string | undefined, from: string): string | undefined {
  if (token === undefined || token.length >= shortestToken) return token;
  const found = token === "" ? "is empty" : `has ${token.length} characters, which can be guessed`;
  throw new CliError(
    `${from} ${found}. Use at least ${shortestToken} characters (openssl rand -hex 32 makes some), or leave it out${from === "TOOLWRIGHT_METRICS_TOKEN" ? "" : " and make a token with toolwright token"}.`,
  );
}
