import { type CloneProblem, ToolwrightError } from "@toolwright/engine";
import type { FoundToken } from "./git-token.ts";
import type { RelayProblem } from "./open-relay.ts";

/** What the server's answer means for a clone. Throws `connection_failed` when there was none. */
export function explainRelay(problem: RelayProblem, url: URL, found: FoundToken | undefined): CloneProblem {
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
      if (problem.status === 401 || problem.status === 403) return refuse("credentials_needed", askForToken(origin, found));
      if (problem.status === 404 || problem.status === 410)
        return refuse(
          "repository_not_found",
          `There is no repository ${href}, or it is private. Check the URL. ${askForToken(origin, found)}`,
        );
      return refuse("git_failed", `${host} answered with status ${problem.status}. Try again later.`);
  }
}

function askForToken(origin: string, found: FoundToken | undefined): string {
  if (!found) return `${origin} wants credentials, and none are configured for it. An operator binds a token to ${origin}.`;
  const { secret } = found.token;
  if (found.value === undefined) return `${origin} wants credentials: an operator must set the secret ${secret}.`;
  return `${origin} does not accept the token in the secret ${secret} for this repository. An operator must renew it or widen what it may read.`;
}

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
