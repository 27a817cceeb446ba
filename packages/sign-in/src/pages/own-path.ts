/** The origin of no site: a path is read as if it were below it. */
const anywhere = "http://own.invalid";

/** The path of this server that a page asked to be led back to; undefined for whatever a browser would take for an address elsewhere. */
export function ownPath(text: string): string | undefined {
  // Browsers read a backslash as a slash, and leave out control characters before they look.
  if (!/^\/(?![/\\])[^\\\p{Cc}]*$/u.test(text)) return undefined;
  const url = URL.canParse(text, anywhere) ? new URL(text, anywhere) : undefined;
  return url?.origin === anywhere ? `${url.pathname}${url.search}${url.hash}` : undefined;
}
