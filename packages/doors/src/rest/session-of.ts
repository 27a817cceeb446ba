/** Header that names the session of a request. */
export const sessionHeader = "toolwright-session";

/** The session that a request names; undefined when it names none. */
export function sessionOf(request: Request): string | undefined {
  return request.headers.get(sessionHeader) ?? undefined;
}
