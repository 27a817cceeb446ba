/** Header that names the session of a request. */
const sessionHeader = "toolwright-session";

/** The session that a request names, by an id or by the caller's own name for it; undefined when it names none. */
export function sessionNameOf(request: Request): string | undefined {
  return request.headers.get(sessionHeader) ?? undefined;
}
