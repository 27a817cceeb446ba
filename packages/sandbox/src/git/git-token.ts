import { BlockList, isIP } from "node:net";
import { type Principal, type SecretStore, ToolwrightError } from "@toolwright/engine";

/** A token that is sent to this one origin, and to no other. */
export interface GitToken {
  /** Name in the secret store. */
  readonly secret: string;
  /** Scheme, host and port: `https://github.com`. Plain http only for a loopback address. */
  readonly origin: string;
  /** Default `x-access-token`, which GitHub, GitLab and Gitea take. */
  readonly username?: string;
}

export interface GitCredentials {
  readonly tokens: readonly GitToken[];
  readonly secrets: SecretStore;
}

export interface FoundToken {
  readonly token: GitToken;
  /** Undefined when the secret is not set. */
  readonly value: string | undefined;
  /** What carries it: HTTP Basic (RFC 7617). */
  readonly authorization: string | undefined;
}

const control = /[\p{Cc}\u2028\u2029]/u;
const loopback = new BlockList();
loopback.addSubnet("127.0.0.0", 8);
loopback.addAddress("::1", "ipv6");

/** Throws a TypeError for a binding that would send a token to more than one origin, or over a line that others can read. */
export function checkToken({ secret, origin, username = "x-access-token" }: GitToken): void {
  const url = URL.parse(origin);
  if (url?.origin !== origin)
    throw new TypeError(`${JSON.stringify(origin)} is not an origin for ${secret}; write https://host or https://host:port.`);
  if (url.protocol !== "https:" && !(url.protocol === "http:" && isLoopback(url.hostname)))
    throw new TypeError(`${secret} may not be sent to ${origin}: tokens go over https only.`);
  if (username === "" || control.test(username) || username.includes(":"))
    throw new TypeError(`The user name for ${secret} is empty, or holds a colon or control characters.`);
}

/** The token of an origin: scheme, host and port must be the same, to the letter (CVE-2020-5260, CVE-2024-50338). */
export async function findToken(
  url: URL,
  owner: Pick<Principal, "tenant" | "agent">,
  credentials: GitCredentials | undefined,
): Promise<FoundToken | undefined> {
  const token = credentials?.tokens.find(({ origin }) => origin === url.origin);
  if (!credentials || !token) return undefined;
  const value = await credentials.secrets.get(owner.tenant, token.secret, owner.agent);
  if (value === undefined) return { token, value, authorization: undefined };
  if (value === "" || control.test(value))
    throw new ToolwrightError(
      "secret_missing",
      `The secret ${token.secret} is empty or holds line breaks or control characters, so it was not sent; an operator must set it anew.`,
    );
  const pair = Buffer.from(`${token.username ?? "x-access-token"}:${value}`).toString("base64");
  return { token, value, authorization: `Basic ${pair}` };
}

function isLoopback(hostname: string): boolean {
  const host = hostname.replace(/^\[|\]$/g, "");
  const family = isIP(host);
  return family !== 0 && loopback.check(host, family === 6 ? "ipv6" : "ipv4");
}
