const aYear = 31_536_000;

/** The pages for signing in have no script, so the server reads the scheme from a cookie. "auto" leaves it to the system. */
export function tellScheme(scheme: "light" | "dark" | "auto"): void {
  const secure = location.protocol === "https:" ? "; secure" : "";
  // biome-ignore lint/suspicious/noDocumentCookie: the Cookie Store API is missing on plain http.
  document.cookie = `toolwright-scheme=${scheme}; path=/auth; max-age=${scheme === "auto" ? 0 : aYear}; samesite=lax${secure}`;
}
