// Floods a server with one kind of request until it is told to stop, on a thread of its own: writing requests takes no time of the one that measures.
import { setPriority } from "node:os";
import { parentPort, workerData } from "node:worker_threads";
import { floodKinds } from "./flood-kinds.ts";
import { type Asked, send } from "./send.ts";

/** What the thread is given: a server, a key, the name of a kind of flood, and the address of a page that browsers open. */
export interface FlooderData extends Asked {
  readonly kind: string;
  readonly page: string;
}

const { kind: name, page, ...asked } = workerData as FlooderData;
const kind = floodKinds.find((one) => one.name === name);
if (!kind || !parentPort) throw new Error(`There is no flood ${name}.`);

// Who floods has another machine: on Linux this is the priority of the thread alone.
if (process.platform === "linux") setPriority(10);
const answers: Record<string, number> = {};
const over = new AbortController();
parentPort.once("message", () => over.abort());
let sent = 0;
const keepOn = async () => {
  while (!over.signal.aborted) {
    const answer = await send(asked, kind.request(sent++, page), over.signal).catch((error: Error) => `no answer: ${error.message}`);
    if (!over.signal.aborted) answers[answer] = (answers[answer] ?? 0) + 1;
  }
};
const flood = Array.from({ length: kind.inFlight }, keepOn);
parentPort.postMessage("begun");
await Promise.all(flood);
parentPort.postMessage(answers);
