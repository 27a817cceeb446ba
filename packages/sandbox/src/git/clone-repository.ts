import { type JudgedUrl, judgeUrl } from "@toolwright/commands/targets";
import { type CallSite, ToolwrightError } from "@toolwright/engine";
import type { ClonedRepository, CloneProblem, CloneSpec } from "@toolwright/engine/ports";
import type { Workspace } from "../files/workspace.ts";
import { isReachable, parseRanges } from "../http/address.ts";
import { permitHost } from "../http/prepare-hop.ts";
import { resolveTarget } from "../http/resolve-target.ts";
import { basicAuthorization, takeBoundSecret } from "../secrets/take-bound-secret.ts";
import type { RepositoryAccess } from "./explain-problem.ts";
import type { GitCapabilityOptions, GitLimits } from "./git-options.ts";
import { inspectCheckout, readHead } from "./inspect-checkout.ts";
import { openRelay } from "./open-relay.ts";
import { type Clone, runGit } from "./run-git.ts";
import { openStaging, requireFree, type Staging, sweepStale } from "./staging-folder.ts";

interface CloneEnvironment extends Required<Omit<GitCapabilityOptions, "secrets" | "limits" | "anchoring" | "ids" | "workspaceOf">> {
  readonly site: CallSite;
  readonly workspace: Workspace;
  readonly secrets: GitCapabilityOptions["secrets"];
  readonly limits: GitLimits;
}

export async function cloneRepository(environment: CloneEnvironment, spec: CloneSpec): Promise<ClonedRepository | CloneProblem> {
  const { site, workspace, limits } = environment;
  site.signal.throwIfAborted();
  const judged = permitUrl(environment, spec);
  permitPath(site, spec.path);
  if (!spec.orNextName) requireFree(workspace, spec.path);
  const addresses = await resolvePermitted(judged, environment);
  const access = await findAccess(judged.url, spec.credential, environment);
  await sweepStale(workspace, environment);
  const target = { ...judged, addresses, authorization: access.authorization };
  const relay = await openRelay(target, {
    dial: environment.connect,
    maxBytes: limits.maxBytes,
    signal: site.signal,
    onData: () => site.alive(),
  });
  try {
    return await cloneThrough({ ...environment, spec, url: judged.url, relay, access });
  } finally {
    relay.close();
  }
}

/** How the server is to know who clones. */
async function findAccess(url: URL, credential: string | undefined, environment: CloneEnvironment): Promise<RepositoryAccess> {
  const { tenant, agent } = environment.site.principal;
  if (credential === undefined) return { candidates: (await environment.secrets?.boundTo(tenant, url.origin, agent)) ?? [] };
  const { value, user = "x-access-token" } = await takeBoundSecret(credential, url, environment);
  return { credential, candidates: [], authorization: basicAuthorization(user, value) };
}

/** Throws `url_refused` with what would permit it. */
function permitUrl({ site, ownHosts }: Pick<CloneEnvironment, "site" | "ownHosts">, { url: raw, credential }: CloneSpec): JudgedUrl {
  const judged = judgeUrl(raw, site.network);
  if (!judged.ok) throw refuseUrl(`${judged.reason} Give the https URL of the repository; other transports are not spoken.`);
  const { url } = permitHost(judged, ownHosts);
  if (url.search !== "" || url.hash !== "") throw refuseUrl("The URL of a repository has no query and no fragment; remove them.");
  if (/%(?:[01][0-9a-f]|7f)/i.test(url.pathname)) throw refuseUrl("The URL holds percent-encoded control characters; remove them.");
  const decision = site.judge({ kind: "request", url: raw, method: "GET", credential });
  if (decision.effect === "allow") return judged;
  throw refuseUrl(`Cloning from ${url.origin} is not permitted: ${decision.reason}`, decision.rule);
}

function refuseUrl(message: string, rule?: string): ToolwrightError {
  return new ToolwrightError("url_refused", message, rule === undefined ? {} : { details: { rule } });
}

function permitPath(site: CallSite, path: string): void {
  const decision = site.judge({ kind: "path", path, access: "write" });
  if (decision.effect !== "allow") throw new ToolwrightError("path_refused", decision.reason, { details: { rule: decision.rule } });
}

/** Resolves once; plain http is for addresses that an operator opened one by one, never for the public network. */
async function resolvePermitted({ host, url }: JudgedUrl, { resolve, site }: CloneEnvironment): Promise<readonly string[]> {
  const addresses = await resolveTarget(host, resolve, parseRanges(site.network.allowRanges));
  if (url.protocol === "https:" || !addresses.some((address) => isReachable(address, []))) return addresses;
  throw refuseUrl(`${url.origin} is not encrypted; give the https URL of the repository.`);
}

async function cloneThrough(clone: Clone & CloneEnvironment): Promise<ClonedRepository | CloneProblem> {
  const staging = openStaging(clone.workspace, clone);
  try {
    const end = await runGit(clone, staging);
    if ("code" in end) return end;
    const { head, warnings } = await staging.visit(async (checkout) => {
      return { warnings: await inspectCheckout(checkout, clone.site.signal), head: readHead(checkout) };
    });
    const path = await publishFree(staging, clone);
    return { ok: true, path, ...head, warnings: [...end.warnings, ...warnings] };
  } finally {
    await staging.remove();
  }
}

const mostNames = 100;

/** A clone of the same repository, and one that runs at the same time, may have the name already. */
async function publishFree(staging: Staging, { site, spec: { path, orNextName = false } }: CloneEnvironment & Clone): Promise<string> {
  for (let number = 1; ; number++) {
    const name = number === 1 ? path : `${path}-${number}`;
    try {
      if (number > 1) permitPath(site, name);
      return await staging.publish(name);
    } catch (error) {
      if (!orNextName || number >= mostNames || !ToolwrightError.is(error) || error.code !== "file_exists") throw error;
    }
  }
}
