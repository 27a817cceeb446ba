type Handler = (request: Request) => Promise<Response>;

/**
 * The library, of which whatever breaks in it is an answer and a line of our log. By itself it prints the error, and with it the query and its
 * values, which may be tokens or the hash of a password.
 */
export function answerFailures(handler: Handler, log: (level: "error", message: string) => void): Handler {
  return async (request) => {
    try {
      return await handler(request);
    } catch (error) {
      log("error", `${request.method} ${new URL(request.url).pathname} failed: ${wordsOf(error)}`);
      return new Response("Internal error. The server's log says more.\n", { status: 500, headers: { "content-type": "text/plain" } });
    }
  };
}

/** What the library logs: its words, and those of the errors beside them. Other values may be secrets. */
export function wordsOfLog(said: readonly unknown[]): string {
  const [first, ...more] = said;
  return [first, ...more.filter((each) => each instanceof Error)].map(wordsOf).join(": ");
}

/** Drivers put the query and its values beside the message, not into it. */
function wordsOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { code } = error as { readonly code?: unknown };
  return typeof code === "string" ? `${error.message} (${code})` : error.message;
}
