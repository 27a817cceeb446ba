import { type Failure, fail } from "@toolwright/engine";
import type { HttpResponse } from "@toolwright/engine/ports";
import { isoDateOf, plainText } from "./plain-text.ts";
import { membersOf, type Refusal, type SearchProvider } from "./search-provider.ts";

/** One page that was found, in plain text. */
export interface SearchHit {
  readonly title: string;
  readonly url: string;
  readonly snippet: string;
  /** YYYY-MM-DD. */
  readonly published?: string;
}

export interface ReadAnswer {
  readonly hits: readonly SearchHit[];
  /** Results that were left out because they name no page of the web. */
  readonly skipped: number;
}

const longestTitle = 300;
const longestSnippet = 1_000;

/** The results in an answer of a provider, or why there are none. */
export function readAnswer(provider: SearchProvider, response: HttpResponse, limit: number): ReadAnswer | Failure {
  const answer = parse(response);
  if (response.status !== 200) return refused(provider, response, answer);
  const results = answer === undefined ? undefined : provider.read(answer);
  if (!results) {
    return fail(
      "search_answer_odd",
      `${provider.title} answered with something that is no list of results (${described(response)}). Try again later; if it stays so, the operator checks the provider.`,
    );
  }
  const found = new Map<string, SearchHit>();
  let skipped = 0;
  for (const result of results) {
    const hit = toHit(provider, result);
    if (!hit) skipped += 1;
    else if (!found.has(hit.url)) found.set(hit.url, hit);
  }
  return { hits: [...found.values()].slice(0, limit), skipped };
}

function parse({ body, truncated }: HttpResponse): unknown {
  if (truncated) return undefined;
  try {
    return JSON.parse(Buffer.from(body).toString());
  } catch {
    return undefined;
  }
}

function described({ headers, body, truncated }: HttpResponse): string {
  const type = headers["content-type"]?.split(";")[0]?.trim().slice(0, 60) || "no content type";
  return truncated ? `${type}, more than ${body.byteLength} bytes` : `${type}, ${body.byteLength} bytes`;
}

function toHit(provider: SearchProvider, result: unknown): SearchHit | undefined {
  const raw = provider.toHit(membersOf(result));
  const url = typeof raw.url === "string" ? URL.parse(raw.url) : null;
  if (!url || (url.protocol !== "https:" && url.protocol !== "http:")) return undefined;
  const published = isoDateOf(raw.published);
  return {
    title: plainText(raw.title, longestTitle) || url.host,
    url: url.href,
    snippet: plainText(raw.snippet, longestSnippet),
    ...(published !== undefined && { published }),
  };
}

const meaningOf = new Map<number, Refusal>([
  [401, "key"],
  [402, "quota"],
  [403, "key"],
  [429, "limit"],
]);

function refused(provider: SearchProvider, response: HttpResponse, answer: unknown): Failure {
  const { status } = response;
  const { title, secret } = provider;
  const refusal = provider.refusal?.(response, answer) ?? meaningOf.get(status) ?? "down";
  switch (refusal) {
    case "key":
      return fail("search_key_refused", `${title} refused the key (status ${status}). Set the secret ${secret} to one that is valid.`, {
        status,
      });
    case "quota":
      return fail(
        "search_quota_used",
        `What the plan at ${title} has is used up (status ${status}). The operator raises it, or sets up another provider.`,
        { status },
      );
    case "format":
      return fail(
        "search_format_refused",
        `${title} gives no JSON (status ${status}). Its operator adds json to search.formats in its settings.yml, or its limiter turned the request away.`,
        { status },
      );
    case "limit": {
      const seconds = secondsToWait(provider, response);
      const when = seconds === undefined ? "later" : `in ${seconds} s`;
      return fail("search_limited", `${title} takes no more requests for now (status ${status}). Try again ${when}.`, {
        status,
        ...(seconds !== undefined && { retryAfterSeconds: seconds }),
      });
    }
    case "down":
      return fail(
        "search_failed",
        `${title} answered with status ${status} and no results. Try again later, or word the query otherwise.`,
        { status },
      );
  }
}

const longestWait = 31 * 24 * 60 * 60;

/** RFC 9110 section 10.2.3: seconds, or a date by the server's own clock. */
function secondsToWait({ waitSeconds }: SearchProvider, { headers }: HttpResponse): number | undefined {
  const given = headers["retry-after"]?.trim() ?? "";
  const [until, now] = [Date.parse(given), Date.parse(headers.date ?? "")];
  const seconds = /^\d{1,9}$/.test(given) ? Number(given) : Math.ceil((until - now) / 1_000);
  const known = Number.isNaN(seconds) ? waitSeconds?.(headers) : seconds;
  return known === undefined ? undefined : Math.min(Math.max(known, 1), longestWait);
}
