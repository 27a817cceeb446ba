import type { ServerResponse } from "node:http";
import type { WrittenResponse } from "@toolwright/doors/http";

interface Answer {
  readonly outgoing: ServerResponse;
  readonly response: WrittenResponse;
}

/**
 * Sends answers that are there as a whole, each in one piece, and those of one turn of the event loop one after the other: a client that waits is
 * woken once for all of them, which costs more than to write one.
 */
export class WrittenAnswers {
  #waiting: Answer[] = [];

  send(outgoing: ServerResponse, response: WrittenResponse): void {
    this.#waiting.push({ outgoing, response });
    if (this.#waiting.length === 1) setImmediate(() => this.#flush());
  }

  #flush(): void {
    const answers = this.#waiting;
    this.#waiting = [];
    for (const { outgoing, response } of answers) write(outgoing, response);
  }
}

function write(outgoing: ServerResponse, { head: { status, headers }, written }: WrittenResponse): void {
  const length = { "content-length": Buffer.byteLength(written) };
  outgoing.writeHead(status, headers instanceof Headers ? { ...fieldsOf(headers), ...length } : { ...headers, ...length });
  outgoing.end(written);
}

function fieldsOf(headers: Headers): Record<string, string | string[]> {
  const cookies = headers.getSetCookie();
  return { ...Object.fromEntries(headers), ...(cookies.length > 0 && { "set-cookie": cookies }) };
}
