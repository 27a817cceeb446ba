import { randomBytes } from "node:crypto";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { OidcServer } from "@toolwright/sign-in";
import type { ServerIo } from "../../io.ts";
import { SettingsError } from "../../settings-error.ts";
import { makeFolder } from "../../state/make-folder.ts";
import { writeOnce } from "../../state/write-whole.ts";

/** How people and clients prove who they are, when they have to. */
export interface AuthSettings {
  readonly oidc: OidcServer | undefined;
  /** False: no client is described by a document at its own address, and the server reads none. Default true. */
  readonly clientDocuments?: boolean;
}

/** This machine, as an option or a URL names it. */
export const loopback: ReadonlySet<string> = new Set(["127.0.0.1", "::1", "[::1]", "localhost"]);

/** Undefined when nobody has to sign in. */
export function readAuth(on: boolean | undefined, { env }: Pick<ServerIo, "env">): AuthSettings | undefined {
  const given = readSwitch(env, "TOOLWRIGHT_AUTH");
  const clientDocuments = readSwitch(env, "TOOLWRIGHT_CLIENT_DOCUMENTS");
  if (!(on ?? given)) return undefined;
  return { oidc: readOidc(env), ...(clientDocuments === false && { clientDocuments }) };
}

function readSwitch(env: ServerIo["env"], name: "TOOLWRIGHT_AUTH" | "TOOLWRIGHT_CLIENT_DOCUMENTS"): boolean | undefined {
  const given = env[name];
  if (given === undefined || given === "") return undefined;
  if (given === "on" || given === "off") return given === "on";
  throw new SettingsError(`${name} is "${given}". Set it to on or off, or leave it out.`);
}

/** Where people reach the server, as `TOOLWRIGHT_URL` says; undefined when it does not. */
export function readPublicOrigin({ TOOLWRIGHT_URL: given }: ServerIo["env"]): string | undefined {
  if (!given) return undefined;
  const url = URL.parse(given);
  const isPlain = url !== null && url.pathname === "/" && url.search === "" && url.hash === "" && url.username === "";
  if (!isPlain || (url.protocol !== "https:" && !(url.protocol === "http:" && loopback.has(url.hostname))))
    throw new SettingsError(`TOOLWRIGHT_URL is "${given}". Set it to an https origin, as in https://tools.example.org, without a path.`);
  return url.origin;
}

function readOidc(env: ServerIo["env"]): OidcServer | undefined {
  const { TOOLWRIGHT_OIDC_ISSUER: issuer, TOOLWRIGHT_OIDC_CLIENT_ID: clientId, TOOLWRIGHT_OIDC_CLIENT_SECRET: clientSecret } = env;
  if (!issuer && !clientId && !clientSecret) return undefined;
  const url = URL.parse(issuer ?? "");
  if (!issuer || !clientId || !clientSecret || !url)
    throw new SettingsError(
      "To sign in with an OpenID Connect server set all of TOOLWRIGHT_OIDC_ISSUER (a URL), TOOLWRIGHT_OIDC_CLIENT_ID and TOOLWRIGHT_OIDC_CLIENT_SECRET.",
    );
  if (url.protocol !== "https:" && !loopback.has(url.hostname))
    throw new SettingsError(`TOOLWRIGHT_OIDC_ISSUER is "${issuer}", which is not encrypted. Use its https address.`);
  return { issuer, clientId, clientSecret, name: env.TOOLWRIGHT_OIDC_NAME || url.hostname };
}

/** The key that signs cookies: `TOOLWRIGHT_AUTH_SECRET`, else one in the state folder, made when it is missing. */
export async function readAuthSecret({ env }: Pick<ServerIo, "env">, state: string): Promise<string> {
  const given = env.TOOLWRIGHT_AUTH_SECRET;
  if (given !== undefined && given.length < 32)
    throw new SettingsError("TOOLWRIGHT_AUTH_SECRET is too short. Use at least 32 characters, for example from openssl rand -hex 32.");
  if (given !== undefined) return given;
  const file = join(state, "auth-secret");
  makeFolder(state, 0o700);
  // The second process reads what the first one wrote.
  writeOnce(file, randomBytes(32).toString("hex"), 0o600);
  const secret = await readFile(file, "utf8");
  if (secret.length < 32) throw new SettingsError(`${file} is damaged. Remove it; everybody then signs in again.`);
  return secret;
}
