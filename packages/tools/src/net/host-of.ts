/** The host that a client would ask, with a port that is written; the whole text where that is no address. */
export function hostOf(url: string): string {
  return URL.canParse(url) ? new URL(url).host : url;
}
