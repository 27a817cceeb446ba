import type { SecretStore } from "@toolwright/engine";
import type { GitCredentials, GitToken } from "@toolwright/sandbox";
import { CliError } from "../cli-error.ts";
import type { Io } from "../io.ts";

const example = "GITHUB_TOKEN=https://github.com";

/**
 * Tokens for git from `TOOLWRIGHT_GIT_CREDENTIALS`: pairs of the environment variable that holds a token and the one origin it is sent to, parted
 * by blanks. A user name stands in the origin where the server wants one of its own: `GITLAB_TOKEN=https://oauth2@gitlab.com`.
 */
export function readGitCredentials({ env }: Pick<Io, "env">): GitCredentials {
  const pairs = (env.TOOLWRIGHT_GIT_CREDENTIALS ?? "").split(/\s+/).filter((pair) => pair !== "");
  const tokens = pairs.map(readPair);
  const names = new Set(tokens.map(({ secret }) => secret));
  const tokenOf = (name: string) => (names.has(name) ? env[name] || undefined : undefined);
  const secrets: SecretStore = {
    has: (_tenant, name) => tokenOf(name) !== undefined,
    generation: () => "0",
    get: (_tenant, name) => Promise.resolve(tokenOf(name)),
  };
  return { tokens, secrets };
}

function readPair(pair: string): GitToken {
  const [, secret, text = ""] = /^([A-Za-z_][A-Za-z0-9_]*)=(.+)$/.exec(pair) ?? [];
  const url = URL.parse(text);
  if (
    secret === undefined ||
    url?.protocol !== "https:" ||
    url.password !== "" ||
    url.pathname !== "/" ||
    url.search !== "" ||
    url.hash !== ""
  )
    // The text is not repeated: somebody may have put the token itself there.
    throw new CliError(
      `TOOLWRIGHT_GIT_CREDENTIALS must hold pairs of a variable and an https origin, such as ${example}, parted by blanks.`,
    );
  return { secret, origin: url.origin, ...(url.username !== "" && { username: decodeURIComponent(url.username) }) };
}
