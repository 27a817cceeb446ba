import { ToolwrightError } from "@toolwright/engine";
import type { CloneProblem } from "@toolwright/engine/ports";
import type { RelayProblem } from "./open-relay.ts";

/** As whom a repository is asked for. */
export interface RepositoryAccess {
  /** Name of the secret that is sent. */
  readonly credential?: string;
  /** Names of those that could have been. */
  readonly candidates: readonly string[];
  /** What carries it. */
  readonly authorization?: string;
}

/** What the server's answer means for a clone. Throws `connection_failed` when there was none. */
export function explainRelay(problem: RelayProblem, url: URL, access: RepositoryAccess): CloneProblem {
  const { href, host, origin } = url;
  switch (problem.kind) {
    case "unreachable":
      throw new ToolwrightError("connection_failed", `The connection to ${host} failed: ${problem.why}. Try again later.`);
    case "moved":
      return refuse(
        "repository_moved",
        `${href} redirects to ${problem.location}, and redirects are not followed. If you trust that address, clone it by that URL.`,
      );
    case "too_large":
      return refuse("repository_too_large", `${href} is larger than a clone may be. Set depth to 1 to leave out its history.`);
    case "not_git":
      return refuse(
        "repository_not_found",
        `${href} answers, but not as a git repository. Give the URL that the project names for cloning.`,
      );
    case "status":
      if (problem.status === 401 || problem.status === 403) return refuse("credentials_needed", askForToken(origin, access));
      if (problem.status === 404 || problem.status === 410)
        return refuse(
          "repository_not_found",
          `${host} answered ${problem.status}: there is no repository ${href}, or it is private. Check the URL. ${tellOfToken(origin, access)}`,
        );
      return refuse("git_failed", `${host} answered with status ${problem.status}. Try again later.`);
  }
}

function askForToken(origin: string, { credential, candidates }: RepositoryAccess): string {
  if (credential !== undefined)
    return `${origin} does not accept the token in the secret ${credential} for this repository. An operator must renew it or widen what it may read.`;
  if (candidates.length > 0) return `${origin} wants credentials. Name the secret to send in credential: ${candidates.join(", ")}.`;
  return `${origin} wants credentials, and no secret may be sent there. An operator sets one: ${setSecret(origin)}`;
}

/** A server that hides what is private asks for nothing. */
function tellOfToken(origin: string, { credential, candidates }: RepositoryAccess): string {
  if (credential !== undefined)
    return `If it is private, the token in the secret ${credential} may not read it: an operator must widen what it may read.`;
  if (candidates.length > 0) return `If it is private, name the secret to send in credential: ${candidates.join(", ")}.`;
  return `If it is private, an operator sets a secret for it: ${setSecret(origin)}`;
}

const setSecret = (origin: string) => `toolwright secrets set NAME --host ${origin.replace(/^https:\/\//, "")}`;

/** What git's own last words mean. */
export function explainGit(
  words: readonly string[],
  { url, ref }: { readonly url: string; readonly ref: string | undefined },
): CloneProblem {
  if (ref !== undefined && words.some((line) => /Remote branch .* not found/i.test(line)))
    return refuse(
      "ref_not_found",
      `${url} has no branch or tag ${JSON.stringify(ref)}. Leave ref out to get the default branch. A commit id cannot be given.`,
    );
  const said = words.join(" ").slice(-1_000) || "It gave no reason.";
  return refuse("git_failed", `git could not clone ${url}. ${said}`);
}

export function refuse(code: CloneProblem["code"], message: string): CloneProblem {
  return { ok: false, code, message };
}
