import { isIP } from "node:net";
import { ToolwrightError } from "@toolwright/engine";
import type { DialTarget } from "../http/dial.ts";
import { httpCapability } from "../http/http-capability.ts";
import { createCallSite } from "./call-site.ts";
import { openScriptedWeb, type ReceivedRequest } from "./scripted-web.ts";

/** One line of `ssrf.jsonl`. */
export interface UrlCase {
  readonly id: string;
  readonly cat: string;
  readonly url: string;
  /** `error`: a limit ends the exchange. */
  readonly expect: "allow" | "deny" | "error";
  readonly why: string;
  /** Answers of the resolver: one set, or the sets of successive questions. */
  readonly dns?: Readonly<Record<string, readonly string[] | readonly (readonly string[])[]>>;
  readonly redirects?: readonly { readonly status: number; readonly location: string }[];
  readonly config?: {
    readonly allow_hosts?: readonly string[];
    readonly deny_hosts?: readonly string[];
    readonly allow_cidrs?: readonly string[];
  };
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** The only address that may be dialled. */
  readonly connect?: string;
  /** `sni=<name>`, or `no <body or headers> on hop <n>`; any other is said in the detail and not checked. */
  readonly assert?: string;
}

export interface UrlVerdict {
  readonly verdict: "allow" | "deny" | "error";
  readonly detail: string;
}

const limitCodes = new Set(["timeout", "response_too_large"]);
const denialCodes = new Set(["url_refused", "effect_refused", "name_not_resolved", "too_many_redirects"]);
const checkable = /^(?:sni=\S+|no .+ on hop \d+)$/;
const privateHeaders = { authorization: "Bearer canary", cookie: "session=canary", "x-api-key": "canary" };

/** Sends a case through the real capability: a scripted resolver, and a dialler that notes the address and connects to a loopback server instead. */
export async function judgeUrlCase(example: UrlCase): Promise<UrlVerdict> {
  const dialled: DialTarget[] = [];
  await using web = await openScriptedWeb(example.redirects ?? [], { answers: example.cat !== "limit" });
  const http = httpCapability({
    resolve: scriptResolver(example.dns ?? {}),
    connect(target) {
      dialled.push(target);
      return web.connect();
    },
  });
  const network = {
    deny: example.config?.deny_hosts ?? [],
    allowRanges: example.config?.allow_cidrs ?? [],
    ...(example.config?.allow_hosts ? { allow: example.config.allow_hosts } : {}),
  };
  const handle = http.open("write", createCallSite({ network }));
  const verdict = await handle
    .request(toRequest(example))
    .then(
      ({ status, truncated }): UrlVerdict =>
        truncated ? { verdict: "error", detail: "cut at the size limit" } : { verdict: "allow", detail: `status ${status}` },
      toVerdict,
    );
  const violation = findViolation(example, dialled, web.received);
  if (violation) return { verdict: "error", detail: violation };
  const unchecked = example.assert !== undefined && !checkable.test(example.assert);
  return unchecked ? { ...verdict, detail: `${verdict.detail}; not checked: ${example.assert}` } : verdict;
}

function toRequest(example: UrlCase) {
  const method = example.method ?? "GET";
  const headers = { ...(example.redirects ? privateHeaders : {}), ...example.headers };
  const body = method === "POST" || method === "PUT" || method === "PATCH" ? { body: "canary" } : {};
  const limits = example.cat === "limit" ? { timeoutMs: 500, maxBytes: 1_000_000 } : { timeoutMs: 10_000 };
  return { url: example.url, method, headers, ...body, ...limits };
}

function scriptResolver(dns: NonNullable<UrlCase["dns"]>) {
  const table = new Map(Object.entries(dns));
  const asked = new Map<string, number>();
  return async (host: string): Promise<readonly string[]> => {
    const turn = asked.get(host) ?? 0;
    asked.set(host, turn + 1);
    const answers: readonly (string | readonly string[])[] = table.get(host) ?? table.get(`${host}.`) ?? [];
    if (!Array.isArray(answers[0])) return answers as readonly string[];
    return answers[Math.min(turn, answers.length - 1)] as readonly string[];
  };
}

function toVerdict(error: unknown): UrlVerdict {
  const code = ToolwrightError.is(error) ? error.code : "thrown";
  const verdict = limitCodes.has(code) ? "error" : denialCodes.has(code) ? "deny" : "error";
  return { verdict, detail: `${code}: ${error instanceof Error ? error.message : String(error)}` };
}

function findViolation(
  { connect, assert, dns = {} }: UrlCase,
  dialled: readonly DialTarget[],
  received: readonly ReceivedRequest[],
): string | undefined {
  const answered = new Set(Object.values(dns).flat(2));
  const stray = dialled.find(({ address, host }) =>
    connect ? address !== connect : isIP(host) ? address !== host : !answered.has(address),
  );
  if (stray) return `dialled ${stray.address} for ${stray.host}`;
  if (assert === undefined) return undefined;
  const name = /^sni=(\S+)$/.exec(assert)?.[1];
  if (name !== undefined) return dialled.every((target) => target.host === name && target.secure) ? undefined : `violated: ${assert}`;
  const [, what, hop] = /^no (.+) on hop (\d+)$/.exec(assert) ?? [];
  const request = received[Number(hop) - 1];
  const leaked = what?.split(/,|\s(?:and|or)\s/).some((name) => isPresent(name.trim().toLowerCase(), request));
  return leaked ? `violated: ${assert}` : undefined;
}

function isPresent(name: string, request: ReceivedRequest | undefined): boolean {
  if (!request) return false;
  return name === "body" ? request.body !== "" : request.headers[name] !== undefined;
}
