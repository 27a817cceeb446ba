import { arrayIn, membersOf, type SearchProvider } from "./search-provider.ts";

const freshness = { day: "pd", week: "pw", month: "pm", year: "py" } as const;

/** https://api-dashboard.search.brave.com/api-reference/web/search/get */
export const brave: SearchProvider = {
  name: "brave",
  title: "Brave Search",
  secret: "brave_search_api_key",
  mostWords: 50,
  request(search, key) {
    const url = new URL("https://api.search.brave.com/res/v1/web/search");
    const q = search.site === undefined ? search.query : `site:${search.site} ${search.query}`;
    const parameters = { q, count: String(search.limit), result_filter: "web", text_decorations: "false" };
    for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value);
    if (search.freshness) url.searchParams.set("freshness", freshness[search.freshness]);
    return { url: url.href, headers: { Accept: "application/json", "X-Subscription-Token": key } };
  },
  read(answer) {
    const { type, web } = membersOf(answer);
    // Where nothing is found the member is missing.
    if (type === "search" && web === undefined) return [];
    return arrayIn(web, "results");
  },
  toHit: ({ title, url, description, page_age }) => ({ title, url, snippet: description, published: page_age }),
  refusal({ status }, answer) {
    const error = membersOf(membersOf(answer).error ?? arrayIn(answer, "errors")?.[0]);
    if (typeof error.code === "string" && error.code.startsWith("SUBSCRIPTION_")) return "key";
    return error.code === "QUOTA_LIMITED" ? "quota" : status === 429 ? "limit" : undefined;
  },
  // One number for each window of the plan: the longest of those that are used up.
  waitSeconds(headers) {
    const numbers = (name: string) => (headers[name] ?? "").split(",").map((text) => Number.parseInt(text, 10));
    const [remaining, reset] = [numbers("x-ratelimit-remaining"), numbers("x-ratelimit-reset")];
    const waits = reset.filter((seconds, index) => seconds > 0 && remaining[index] === 0);
    return waits.length > 0 ? Math.max(...waits) : undefined;
  },
};
