import type { Readable, Writable } from "node:stream";
import type { ServerFacts } from "@toolwright/server/facts";
import { answerOpening, type OpeningId } from "./opening-answer.ts";

/** A connection at stdin whose first message is read, and answered where that takes no more, before the program behind it is loaded. */
export interface OpenedStdio {
  /** Resolves when the first message was read, or `ms` have passed. */
  firstWithin(ms: number): Promise<void>;
  /** Leaves stdin to the protocol layer, with all that was read: the id of the request that has its answer already. `hasEnded`: nothing more will come. */
  takeOver(): { readonly answered: OpeningId | undefined; readonly hasEnded: boolean };
  /** Lets stdin flow, once somebody listens to it. */
  resume(): void;
}

/** Bytes of a first message that are looked at. */
const mostBytes = 1024 * 1024;
const lineFeed = 0x0a;

export function openStdio(input: Readable, output: Writable, facts: ServerFacts): OpenedStdio {
  const first = Promise.withResolvers<void>();
  let chunks: Buffer[] = [];
  let answered: OpeningId | undefined;
  let hasEnded = false;
  let isDone = false;

  const stop = () => {
    if (isDone) return;
    isDone = true;
    input.off("data", onData);
    input.pause();
    if (!hasEnded && chunks.length > 0) input.unshift(Buffer.concat(chunks));
    chunks = [];
    first.resolve();
  };
  const onData = (chunk: Buffer) => {
    chunks.push(chunk);
    const read = Buffer.concat(chunks);
    const end = read.indexOf(lineFeed);
    if (end < 0 && read.length <= mostBytes) return;
    const answer = end < 0 ? undefined : answerOpening(read.subarray(0, end).toString("utf8"), facts);
    if (answer) {
      answered = answer.id;
      output.write(answer.text);
    }
    stop();
  };
  const onEnd = () => {
    hasEnded = true;
    stop();
  };
  input.on("data", onData).once("end", onEnd).once("error", onEnd);
  return {
    firstWithin: async (ms) => {
      const timer = setTimeout(() => first.resolve(), ms);
      await first.promise;
      clearTimeout(timer);
    },
    takeOver() {
      stop();
      return { answered, hasEnded };
    },
    resume: () => void input.resume(),
  };
}
