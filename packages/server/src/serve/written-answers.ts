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

function write(outgoing: ServerResponse, { status, headers, written }: WrittenResponse): void {
  const fields: Record<string, string | string[]> = Object.fromEntries(headers);
  if (fields["set-cookie"] !== undefined) fields["set-cookie"] = headers.getSetCookie();
  outgoing.writeHead(status, { ...fields, "content-length": Buffer.byteLength(written) });
  outgoing.end(written);
}
