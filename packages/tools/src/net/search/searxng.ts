import { arrayIn, type SearchProvider } from "./search-provider.ts";

/** https://docs.searxng.org/dev/search_api.html */
export const searxng: SearchProvider = {
  name: "searxng",
  title: "SearXNG",
  secret: "searxng_url",
  request({ query, freshness, site }, address) {
    const base = URL.parse(address.trim());
    if (!base || (base.protocol !== "http:" && base.protocol !== "https:")) return undefined;
    base.pathname = `${base.pathname.replace(/(?<!\/)\/+$/, "")}/search`;
    base.searchParams.set("q", site === undefined ? query : `site:${site} ${query}`);
    base.searchParams.set("format", "json");
    if (freshness) base.searchParams.set("time_range", freshness);
    return { url: base.href, headers: { Accept: "application/json" } };
  },
  read: (answer) => arrayIn(answer, "results"),
  toHit: ({ title, url, content, publishedDate }) => ({ title, url, snippet: content, published: publishedDate }),
  refusal: ({ status }) => (status === 403 ? "format" : undefined),
};
