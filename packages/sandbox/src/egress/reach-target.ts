import type { Socket } from "node:net";
import { type HostAndPort, type JudgedUrl, judgeUrl } from "@toolwright/commands/targets";
import { ToolwrightError } from "@toolwright/engine";
import type { NetworkRules } from "@toolwright/engine/ports";
import { parseRanges } from "../http/address.ts";
import type { Dial } from "../http/dial.ts";
import { dialFirst } from "../http/dial-first.ts";
import { permitHost } from "../http/prepare-hop.ts";
import { type Resolve, resolveTarget } from "../http/resolve-target.ts";
import { type Refusal, showTarget } from "./traffic-log.ts";

const maxNameLength = 253;

/** What one run may reach, and how it is reached. */
export interface Egress {
  readonly rules: NetworkRules;
  /** Names of this server, which nothing reaches. */
  readonly ownHosts: readonly string[];
  readonly resolve: Resolve;
  readonly dial: Dial;
  /** Aborts when the run is over. */
  readonly signal: AbortSignal;
}

/** Judges a URL, or throws `url_refused` with what would permit it. */
export function judgeTarget(raw: string, { rules, ownHosts }: Pick<Egress, "ownHosts" | "rules">): JudgedUrl {
  const judged = judgeUrl(raw, rules);
  if (judged.ok) return permitHost(judged, ownHosts);
  const hint = adviseRule(raw, rules);
  throw new ToolwrightError("url_refused", hint === undefined ? judged.reason : `${judged.reason} ${hint}`);
}

/** The host rule that would open the URL; none where a denying rule closes it or its text is refused. */
function adviseRule(raw: string, { deny }: NetworkRules): string | undefined {
  const { host, port } = namedTarget(raw);
  const rule = port === 80 || port === 443 ? showTarget({ host, port }).replace(/:\d+$/, "") : showTarget({ host, port });
  return judgeUrl(raw, { allow: [rule], deny }).ok ? `To permit it, add ${JSON.stringify(rule)} to network.allow.` : undefined;
}

/** Resolves a judged target once and dials a checked address. Rejects with `url_refused`, `name_not_resolved` or the failure of the socket. */
export async function reachTarget({ host, port }: HostAndPort, { rules, resolve, dial, signal }: Egress): Promise<Socket> {
  const addresses = await resolveTarget(host, resolve, parseRanges(rules.allowRanges)).catch((error: unknown) => {
    if (!ToolwrightError.is(error) || error.code !== "url_refused") throw error;
    throw new ToolwrightError("url_refused", `${error.message} To permit it, add its range to network.allow_ranges.`, { cause: error });
  });
  return dialFirst(dial, addresses, { host, port, secure: false, signal });
}

/** The target of a URL that nobody has judged yet; for messages and counts. */
export function namedTarget(raw: string): HostAndPort {
  const url = URL.parse(raw);
  if (!url?.hostname) return { host: "(unreadable)", port: 0 };
  const host = url.hostname.replace(/^\[|\]$/g, "").slice(0, maxNameLength);
  return { host, port: url.port === "" ? (url.protocol === "https:" ? 443 : 80) : Number(url.port) };
}

export function describeRefusal(error: unknown, target: HostAndPort): Refusal {
  if (ToolwrightError.is(error) && error.code === "url_refused")
    return { status: 403, sentence: `The network of this run does not reach ${showTarget(target)}. ${error.message}` };
  const why = ToolwrightError.is(error) ? error.message : String((error as NodeJS.ErrnoException | undefined)?.code ?? error);
  return { status: 502, sentence: `${showTarget(target)} could not be reached: ${why}` };
}
