import { arrayIn, type SearchProvider } from "./search-provider.ts";

/** https://docs.tavily.com/documentation/api-reference/endpoint/search */
export const tavily: SearchProvider = {
  name: "tavily",
  title: "Tavily",
  secret: "tavily_api_key",
  request: ({ query, limit, freshness, site }, key) => ({
    url: "https://api.tavily.com/search",
    method: "POST",
    headers: { Accept: "application/json", "Content-Type": "application/json", Authorization: `Bearer ${key}` },
    body: JSON.stringify({
      query,
      max_results: limit,
      ...(freshness && { time_range: freshness }),
      ...(site && { include_domains: [site] }),
    }),
  }),
  read: (answer) => arrayIn(answer, "results"),
  toHit: ({ title, url, content, published_date }) => ({ title, url, snippet: content, published: published_date }),
  // Of its own: the plan, and what is paid beyond it.
  refusal: ({ status }) => (status === 432 || status === 433 ? "quota" : undefined),
};
