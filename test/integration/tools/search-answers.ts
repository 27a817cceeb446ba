/**
 * Answers of search providers in the forms that the providers publish. Where a page has an example, its members and values are taken from it.
 *
 * - Brave: https://api-dashboard.search.brave.com/api-reference/web/search/get (parameters; 404, 422 and 429 with their bodies), the types of
 *   brave/brave-search-mcp-server (src/tools/web/types.ts: WebSearchApiResponse, SearchResult), and
 *   https://api.search.brave.com/app/documentation/web-search/response-headers (X-RateLimit-*).
 * - Tavily: https://docs.tavily.com/documentation/api-reference/endpoint/search and https://tavily.com/.well-known/openapi.json,
 *   https://help.tavily.com/articles/8645538886-understanding-http-errors (401, 429, 432, 433).
 * - Exa: exa-labs/openapi-spec (exa-openapi-spec.yaml: /search, Result, ResultWithContent, CostDollars), https://exa.ai/docs/admin/error-codes.
 * - SearXNG: https://docs.searxng.org/dev/search_api.html, searxng/searxng (searx/webutils.py: get_json_response, searx/webadapter.py).
 */
interface Answer {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body: string | object;
}

const braveResult = {
  type: "search_result",
  subtype: "generic",
  is_live: false,
  is_source_local: false,
  is_source_both: false,
  language: "en",
  family_friendly: true,
  profile: { name: "Node.js", url: "https://nodejs.org/en/blog", long_name: "nodejs.org", img: "https://imgs.search.brave.com/x" },
  meta_url: {
    scheme: "https",
    netloc: "nodejs.org",
    hostname: "nodejs.org",
    favicon: "https://imgs.search.brave.com/f",
    path: "› en › blog",
  },
  extra_snippets: ["More of the page."],
};
const braveError = (status: number, code: string, detail: string) => ({
  type: "ErrorResponse",
  error: { id: "5d832250-9396-4f6e-b84a-2a1fe524cd7d", status, code, detail, meta: { component: "authentication" } },
  time: 1663072993,
});

export const braveAnswers = {
  found: {
    status: 200,
    body: {
      type: "search",
      query: { original: "node", show_strict_warning: false, is_navigational: false, more_results_available: true },
      mixed: { type: "mixed", main: [{ type: "web", index: 0, all: false }], top: [], side: [] },
      web: {
        type: "search",
        family_friendly: true,
        results: [
          {
            ...{ ...braveResult, title: "Node.js 24 &amp; you", url: "https://nodejs.org/en/blog/release/v24.0.0" },
            ...{ description: "What is new in <strong>Node.js</strong> 24.", age: "May 6, 2025", page_age: "2025-05-06T00:00:00" },
          },
          { ...braveResult, title: "About", url: "https://nodejs.org/en/about" },
        ],
      },
    },
  },
  /** The list of the original of the error members is `error` in what the service sends, and `errors` in the reference. */
  key: { status: 422, body: braveError(422, "SUBSCRIPTION_TOKEN_INVALID", "The provided subscription token is invalid.") },
  keyOfReference: {
    status: 422,
    body: {
      type: "ErrorResponse",
      errors: [braveError(422, "SUBSCRIPTION_TOKEN_INVALID", "The provided subscription token is invalid.").error],
      time: 1663072993,
    },
  },
  limit: {
    status: 429,
    headers: {
      "x-ratelimit-limit": "1, 15000",
      "x-ratelimit-policy": "1;w=1, 15000;w=2592000",
      "x-ratelimit-remaining": "0, 1000",
      "x-ratelimit-reset": "3, 1419704",
    },
    body: braveError(429, "RATE_LIMITED", "Request rate limit exceeded for plan."),
  },
  quota: { status: 429, body: braveError(429, "QUOTA_LIMITED", "Request quota limit exceeded for plan.") },
  empty: { status: 200, body: { type: "search", query: { original: "qqqq", more_results_available: false } } },
} satisfies Record<string, Answer>;

const tavilyError = (error: string) => ({ detail: { error } });

export const tavilyAnswers = {
  found: {
    status: 200,
    body: {
      query: "who is Leo Messi?",
      answer: null,
      images: [],
      results: [
        {
          title: "Lionel Messi Facts | Britannica",
          url: "https://www.britannica.com/facts/Lionel-Messi",
          content: "Lionel Messi, an Argentine footballer,\nis widely regarded as one of the greatest.",
          score: 0.81025416,
          raw_content: null,
          favicon: "https://britannica.com/favicon.png",
          published_date: "Tue, 02 Jan 2024 10:00:00 GMT",
        },
        { title: "Messi", url: "https://example.com/messi", content: "", score: 0.5, raw_content: null },
      ],
      auto_parameters: { topic: "general", search_depth: "basic" },
      response_time: 1.67,
      request_id: "123e4567-e89b-12d3-a456-426614174111",
    },
  },
  key: { status: 401, body: tavilyError("Unauthorized: missing or invalid API key.") },
  limit: {
    status: 429,
    headers: { "retry-after": "42" },
    body: tavilyError("Your request has been blocked due to excessive requests. Please reduce rate of requests."),
  },
  quota: {
    status: 432,
    body: tavilyError("This request exceeds your plan's set usage limit. Please upgrade your plan or contact support@tavily.com"),
  },
  paidQuota: {
    status: 433,
    body: tavilyError("This request exceeds the pay-as-you-go limit. You can increase your limit on the Tavily dashboard."),
  },
  empty: { status: 200, body: { query: "qqqq", answer: null, images: [], results: [], response_time: 0.4, request_id: "123e4567" } },
} satisfies Record<string, Answer>;

const exaError = (tag: string, error: string) => ({ requestId: "67207943fab9832d162b5317f4cca830", error, tag });

export const exaAnswers = {
  found: {
    status: 200,
    body: {
      requestId: "b5947044c4b78efa9552a7c89b306d95",
      resolvedSearchType: "neural",
      results: [
        {
          title: "A Comprehensive Overview of Large Language Models",
          url: "https://arxiv.org/pdf/2307.06435.pdf",
          publishedDate: "2023-11-16T01:36:32.547Z",
          author: "Humza  Naveed, University of Engineering and Technology (UET), Lahore, Pakistan",
          score: 0.4600165784358978,
          id: "https://arxiv.org/abs/2307.06435",
          image: "https://arxiv.org/pdf/2307.06435.pdf/page_1.png",
          favicon: "https://arxiv.org/favicon.ico",
          highlights: ["Such requirements have limited their adoption...", "Large models are costly."],
          highlightScores: [0.4600165784358978, 0.3],
        },
        { title: "", url: "https://example.com/untitled", publishedDate: null, author: null, id: "x", text: "Abstract of the page" },
      ],
      costDollars: { total: 0.005, breakDown: [{ search: 0.005, contents: 0, breakdown: { neuralSearch: 0.005 } }] },
    },
  },
  key: { status: 401, body: exaError("INVALID_API_KEY", "Invalid API key") },
  quota: { status: 402, body: exaError("NO_MORE_CREDITS", "You have exceeded your credits limit.") },
  limit: {
    status: 429,
    headers: { date: "Tue, 02 Jan 2024 10:00:00 GMT", "retry-after": "Tue, 02 Jan 2024 10:01:30 GMT" },
    body: { error: "Rate limit exceeded" },
  },
  empty: { status: 200, body: { requestId: "b59", resolvedSearchType: "keyword", results: [], costDollars: { total: 0.005 } } },
} satisfies Record<string, Answer>;

export const searxngAnswers = {
  found: {
    status: 200,
    body: {
      query: "searxng",
      number_of_results: 0,
      results: [
        {
          url: "https://docs.searxng.org/",
          title: "SearXNG documentation",
          content: "SearXNG is a free internet metasearch engine.",
          publishedDate: "2025-02-03T00:00:00",
          engine: "duckduckgo",
          parsed_url: ["https", "docs.searxng.org", "/", "", "", ""],
          template: "default.html",
          engines: ["duckduckgo", "brave"],
          positions: [1, 3],
          score: 4,
          category: "general",
        },
        {
          url: "https://github.com/searxng/searxng",
          title: "searxng/searxng",
          content: null,
          publishedDate: null,
          engine: "github",
          category: "it",
        },
      ],
      answers: [],
      corrections: [],
      infoboxes: [],
      suggestions: ["searx"],
      unresponsive_engines: [["google", "Suspended: access denied"]],
    },
  },
  /** Flask's page for `abort(403)`, where settings.yml does not name the format. */
  format: {
    status: 403,
    headers: { "content-type": "text/html; charset=utf-8" },
    body: "<!doctype html>\n<html lang=en>\n<title>403 Forbidden</title>\n<h1>Forbidden</h1>\n<p>You don&#39;t have the permission to access the requested resource.</p>\n",
  },
  limit: { status: 429, headers: { "content-type": "text/html; charset=utf-8" }, body: "Too Many Requests" },
  empty: {
    status: 200,
    body: {
      query: "qqqq",
      number_of_results: 0,
      results: [],
      answers: [],
      corrections: [],
      infoboxes: [],
      suggestions: [],
      unresponsive_engines: [],
    },
  },
} satisfies Record<string, Answer>;

export type { Answer };
