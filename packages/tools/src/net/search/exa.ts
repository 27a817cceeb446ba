import { arrayIn, type SearchProvider } from "./search-provider.ts";

const days = { day: 1, week: 7, month: 31, year: 366 } as const;
const dayMs = 24 * 60 * 60 * 1_000;

/** https://exa.ai/docs/reference/search */
export const exa: SearchProvider = {
  name: "exa",
  title: "Exa",
  secret: "exa_api_key",
  request: ({ query, limit, freshness, site }, key, now) => ({
    url: "https://api.exa.ai/search",
    method: "POST",
    headers: { Accept: "application/json", "Content-Type": "application/json", "x-api-key": key },
    body: JSON.stringify({
      ...{ query, numResults: limit, contents: { highlights: true } },
      ...(freshness && { startPublishedDate: new Date(now - days[freshness] * dayMs).toISOString() }),
      ...(site && { includeDomains: [site] }),
    }),
  }),
  read: (answer) => arrayIn(answer, "results"),
  toHit({ title, url, highlights, text, publishedDate }) {
    const parts = Array.isArray(highlights) ? highlights.filter((part) => typeof part === "string") : [];
    return { title, url, snippet: parts.length > 0 ? parts.join(" … ") : text, published: publishedDate };
  },
};
