import type { Readable, Writable } from "node:stream";
import { StdioTransport } from "@toolwright/doors/mcp/stdio";
import type { ServerFacts } from "@toolwright/server/facts";
import { answerOpening, type OpeningId } from "./opening-answer.ts";

/** A connection at stdin that is read, and whose first message is answered where it can be, before the program behind it is loaded. */
export interface OpenedStdio {
  /** Holds what the client sends until a server starts it. */
  readonly transport: StdioTransport;
  /** Resolves when the first message was read, or `ms` have passed. */
  firstWithin(ms: number): Promise<void>;
  /** The id of the request that has its answer already. From now on the server answers. */
  takeOver(): OpeningId | undefined;
}

export function openStdio(input: Readable, output: Writable, facts: ServerFacts): OpenedStdio {
  const transport = new StdioTransport({ input, output });
  let answered: OpeningId | undefined;
  let isTaken = false;
  const first = transport.first().then((message) => {
    const answer = isTaken || message === undefined ? undefined : answerOpening(message, facts);
    if (answer === undefined) return;
    answered = answer.id;
    output.write(answer.text);
  });
  return {
    transport,
    async firstWithin(ms) {
      let timer: NodeJS.Timeout | undefined;
      const late = new Promise<void>((resolve) => {
        timer = setTimeout(resolve, ms);
      });
      await Promise.race([first, late]);
      clearTimeout(timer);
    },
    takeOver() {
      isTaken = true;
      return answered;
    },
  };
}
