import {
  type CallSite,
  type Capability,
  type CapabilityProvider,
  type Failure,
  fail,
  type Principal,
  ToolwrightError,
} from "@toolwright/engine";
import type { Clock, HttpRequest, HttpResponse, NetworkRules, SecretStore } from "@toolwright/engine/ports";
import { brave } from "./brave.ts";
import { exa } from "./exa.ts";
import { type ReadAnswer, readAnswer } from "./read-answer.ts";
import type { SearchProvider, SearchRequest } from "./search-provider.ts";
import { searxng } from "./searxng.ts";
import { tavily } from "./tavily.ts";

/** In the order in which one is taken where several are set up. */
const searchProviders: readonly SearchProvider[] = [brave, tavily, exa, searxng];

/** Searches the web by the provider that is set up for the caller. */
export interface WebSearch {
  search(request: SearchRequest): Promise<(ReadAnswer & { readonly provider: string }) | Failure>;
}

declare module "@toolwright/engine" {
  interface CapabilityRegistry {
    search: Capability<"read", WebSearch>;
  }
}

/** What the operator sets up for tenants that have no provider of their own. */
export interface OperatorSearch {
  /** Keys by the names of the secrets. They are for one tenant: no other spends the operator's money. */
  readonly keys?: { readonly tenant: string; readonly keys: ReadonlyMap<string, string> } | undefined;
  /** URL of a SearXNG server, for every tenant; it may be on this machine. */
  readonly searxngUrl?: string | undefined;
}

export interface SearchParts {
  readonly http: CapabilityProvider<"http">;
  readonly secrets: Pick<SecretStore, "get" | "has" | "noteUse">;
  readonly clock: Clock;
  readonly operator?: OperatorSearch | undefined;
}

const timeoutMs = 20_000;
const maxBytes = 2_000_000;

/** Gives `ctx.search`: the secret names the provider, and its key goes to that provider alone. */
export function searchCapability(parts: SearchParts): CapabilityProvider<"search"> {
  return {
    name: "search",
    weigh: () => ({ changes: false, openWorld: true }),
    open: (_effect, site) => ({ search: (request) => search(request, site, parts) }),
    missing: (caller) => (choose(caller, parts) ? undefined : nothingSetUp),
  };
}

const keys = searchProviders.map(({ secret }) => secret);
const advice = `Set one of the secrets ${keys.slice(0, -1).join(", ")} or ${keys.at(-1)}, or TOOLWRIGHT_SEARXNG_URL of the server.`;
const nothingSetUp = { reason: `No search provider is set up. ${advice}`, change: { kind: "secret", text: advice } } as const;

interface Choice {
  readonly provider: SearchProvider;
  /** Key of the operator; undefined where the tenant's secret is to be read. */
  readonly value?: string | undefined;
}

type Caller = Pick<Principal, "tenant" | "agent">;

/** What the agent or its tenant has comes first, then what the operator gives. */
function choose({ tenant, agent }: Caller, { secrets, operator = {} }: SearchParts): Choice | undefined {
  const own = searchProviders.find(({ secret }) => secrets.has(tenant, secret, agent));
  if (own) return { provider: own };
  const given = searchProviders.map((provider) => ({ provider, value: givenBy(operator, provider, tenant) }));
  return given.find(({ value }) => value !== undefined);
}

function givenBy({ keys, searxngUrl }: OperatorSearch, { secret }: SearchProvider, tenant: string): string | undefined {
  const key = keys?.tenant === tenant ? keys.keys.get(secret) : undefined;
  return key ?? (secret === searxng.secret ? searxngUrl : undefined);
}

async function search(request: SearchRequest, site: CallSite, parts: SearchParts): ReturnType<WebSearch["search"]> {
  const { tenant, agent } = site.principal;
  const choice = choose(site.principal, parts);
  if (!choice) throw new ToolwrightError("secret_missing", nothingSetUp.reason);
  const { provider } = choice;
  const { secret: name, title, mostWords = Number.POSITIVE_INFINITY } = provider;
  const words = request.query.split(/\s+/).length;
  if (words > mostWords) return fail("query_too_long", `${title} takes ${mostWords} words, and the query has ${words}. Shorten it.`);
  const value = (choice.value ?? (await parts.secrets.get(tenant, name, agent)))?.trim();
  if (!value) throw new ToolwrightError("secret_missing", `The secret ${name} is empty, or not set any more. ${advice}`);
  const sent = provider.request(request, value, parts.clock.now());
  if (!sent)
    throw new ToolwrightError("secret_missing", `The secret ${name} holds no address. Set it to one, such as https://search.example.org.`);
  if (choice.value === undefined) parts.secrets.noteUse({ tenant, name, agent, tool: site.tool });
  const response = await send(sent, { site, parts, choice, secret: value });
  if (!("status" in response)) return response;
  const answer = readAnswer(provider, response, request.limit);
  return "hits" in answer ? { ...answer, provider: provider.name } : answer;
}

interface Sending {
  readonly site: CallSite;
  readonly parts: SearchParts;
  readonly choice: Choice;
  readonly secret: string;
}

/** What a search that was not answered comes to; a refusal of the policy stays one. */
const notAnswered = new Set(["connection_failed", "name_not_resolved", "timeout", "response_too_large"]);

async function send(request: HttpRequest, { site, parts, choice, secret }: Sending): Promise<HttpResponse | Failure> {
  const { provider, value } = choice;
  site.taint(secret);
  // A getter, which a copy does not take along.
  const { signal } = site;
  const { host } = new URL(request.url);
  const isOperators = provider === searxng && value !== undefined;
  const judge: CallSite["judge"] = (reach) => {
    // A search changes nothing, by whatever method it is asked for.
    const decision = site.judge(reach.kind === "request" ? { ...reach, method: "GET" } : reach);
    // Whoever was to be asked about the call was asked before it ran.
    return isOperators || decision.effect === "ask" ? { ...decision, effect: "allow" } : decision;
  };
  const way = parts.http.open(
    { access: "write", hosts: [host] },
    { ...site, signal, judge, ...(isOperators && { network: openFor(host, site.network) }) },
  );
  try {
    return await way.request({ ...request, maxRedirects: 0, maxBytes, timeoutMs });
  } catch (error) {
    signal.throwIfAborted();
    if (!ToolwrightError.is(error) || !notAnswered.has(error.code)) throw error;
    // A query that was sent twice does no harm.
    return fail(
      "search_failed",
      `${provider.title} does not answer at ${host}. Try again later; if it stays so, the operator checks the provider.`,
      {
        reason: (error.details as { readonly reason?: string } | undefined)?.reason ?? error.code,
      },
    );
  }
}

const everyAddress = ["0.0.0.0/0", "::/0"];

/** The operator named this host, and no other: what the policy denies by name stays denied. */
const openFor = (host: string, { deny }: NetworkRules): NetworkRules => ({ allow: [host], deny, allowRanges: everyAddress });
