import { isIP } from "node:net";
import { ToolwrightError } from "@toolwright/engine";
import type { NetworkRules } from "@toolwright/engine/ports";
import type { DialTarget } from "../http/dial.ts";
import { httpCapability } from "../http/http-capability.ts";
import { createCallSite } from "./call-site.ts";
import { requireKnownFields } from "./known-fields.ts";
import { type ScriptedNames, scriptNames } from "./scripted-names.ts";
import { openScriptedWeb, type ScriptedRedirect } from "./scripted-web.ts";
import { type Assertion, type Observed, parseAssertion } from "./url-assertion.ts";

/** One line of `ssrf.jsonl`. */
export interface UrlCase {
  readonly id: string;
  readonly cat: string;
  readonly url: string;
  /** `error`: a limit ends the exchange. */
  readonly expect: "allow" | "deny" | "error";
  readonly why: string;
  readonly dns?: ScriptedNames;
  readonly redirects?: readonly ScriptedRedirect[];
  readonly config?: {
    readonly allow_hosts?: readonly string[];
    readonly deny_hosts?: readonly string[];
    readonly allow_cidrs?: readonly string[];
    /** Opened for every host of the case, beside what `allow_hosts` opens. */
    readonly allow_ports?: readonly number[];
    /** As the member of the case. */
    readonly self_hosts?: readonly string[];
  };
  /** Names under which the engine itself is reached. */
  readonly self_hosts?: readonly string[];
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Default: a canary for methods that have one. */
  readonly body?: string;
  /** Variables that whoever runs the case has set meanwhile. */
  readonly env?: Readonly<Record<string, string>>;
  /** The only address that may be dialled. */
  readonly connect?: string;
  /** One of the forms of `parseAssertion`. */
  readonly assert?: string;
}

export interface UrlVerdict {
  readonly verdict: "allow" | "deny" | "error";
  readonly detail: string;
}

const limitCodes = new Set(["timeout", "response_too_large"]);
const denialCodes = new Set(["url_refused", "effect_refused", "name_not_resolved", "too_many_redirects"]);
const fields = ["url", "dns", "redirects", "config", "method", "headers", "body", "env", "connect", "assert", "self_hosts"];
const privateHeaders = { authorization: "Bearer canary", cookie: "session=canary", "x-api-key": "canary" };

/** Sends a case through the real capability: a scripted resolver, and a dialler that notes the address and connects to a loopback server instead. */
export async function judgeUrlCase(example: UrlCase): Promise<UrlVerdict> {
  requireKnownFields(example, fields);
  const holds = example.assert === undefined ? undefined : parseAssertion(example.assert);
  const { resolve, addresses } = scriptNames(example.dns ?? {});
  const dialled: DialTarget[] = [];
  await using web = await openScriptedWeb(example.redirects ?? [], { answers: example.cat !== "limit" });
  const http = httpCapability({
    resolve,
    ownHosts: readNames(example),
    connect(target) {
      dialled.push(target);
      return web.connect();
    },
  });
  const handle = http.open("write", createCallSite({ network: toRules(example) }));
  const verdict = await handle
    .request(toRequest(example))
    .then(
      ({ status, truncated }): UrlVerdict =>
        truncated ? { verdict: "error", detail: "cut at the size limit" } : { verdict: "allow", detail: `status ${status}` },
      toVerdict,
    );
  const violation = await findViolation(example, { dialled, received: web.received, addresses }, holds);
  return violation === undefined ? verdict : { verdict: "error", detail: violation };
}

function toRules({ url, dns = {}, config = {} }: UrlCase): Pick<NetworkRules, "allow" | "deny" | "allowRanges"> {
  requireKnownFields(config, ["allow_hosts", "deny_hosts", "allow_cidrs", "allow_ports", "self_hosts"], "config");
  const hosts = [...new Set([URL.parse(url)?.hostname ?? "", ...Object.keys(dns)])].filter((host) => host !== "");
  const opened = config.allow_ports?.flatMap((port) => hosts.map((host) => `${host}:${port}`));
  const allow = config.allow_hosts ?? (opened && ["*"]);
  return {
    deny: config.deny_hosts ?? [],
    allowRanges: config.allow_cidrs ?? [],
    ...(allow && { allow: [...allow, ...(opened ?? [])] }),
  };
}

function readNames({ self_hosts: own = [], config }: UrlCase): readonly string[] {
  const names: unknown = [own, config?.self_hosts ?? []].flat();
  if (Array.isArray(names) && names.every((name) => typeof name === "string" && name !== "")) return names;
  throw new Error("The field self_hosts must be a list of host names.");
}

function toRequest(example: UrlCase) {
  const method = example.method ?? "GET";
  const headers = { ...(example.redirects ? privateHeaders : {}), ...example.headers };
  const content = example.body ?? (["POST", "PUT", "PATCH"].includes(method.toUpperCase()) ? "canary" : undefined);
  const body = content === undefined ? {} : { body: content };
  const limits = example.cat === "limit" ? { timeoutMs: 500, maxBytes: 1_000_000 } : { timeoutMs: 10_000 };
  return { url: example.url, method, headers, ...body, ...limits };
}

function toVerdict(error: unknown): UrlVerdict {
  const code = ToolwrightError.is(error) ? error.code : "thrown";
  const verdict = limitCodes.has(code) ? "error" : denialCodes.has(code) ? "deny" : "error";
  return { verdict, detail: `${code}: ${error instanceof Error ? error.message : String(error)}` };
}

async function findViolation({ connect }: UrlCase, seen: Observed, holds: Assertion | undefined): Promise<string | undefined> {
  const stray = seen.dialled.find(({ address, host }) =>
    connect ? address !== connect : isIP(host) ? address !== host : !seen.addresses.has(address),
  );
  if (stray) return `dialled ${stray.address} for ${stray.host}`;
  return holds === undefined || (await holds(seen)) ? undefined : "what it asserts does not hold";
}
