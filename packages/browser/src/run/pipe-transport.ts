import type { ProcessHandle } from "@toolwright/engine/ports";
import type { ConnectOverCDPTransport } from "playwright-core";

/** Bytes of one message; a screenshot in base64 is the largest that is meant. */
const mostBytes = 64 * 1024 * 1024;

/** The debugging protocol over the input and output of a process: JSON messages that end with NUL. `onStderr` hears what it says beside them. */
export function pipeTransport(
  run: Pick<ProcessHandle, "write" | "onOutput" | "kill" | "exited">,
  onStderr: (chunk: Uint8Array) => void = () => {},
): ConnectOverCDPTransport {
  const parts: Buffer[] = [];
  let held = 0;
  let written: Promise<unknown> = Promise.resolve();
  const transport: ConnectOverCDPTransport = {
    // One after the other: a long message goes in several writes, and another must not come between. A pipe that is gone is told by `exited`.
    send(message) {
      written = written.then(() => run.write(`${JSON.stringify(message)}\0`)).catch(() => undefined);
    },
    close: () => run.kill("cancelled"),
  };
  // One a turn: what waits for a message runs before the next is told, or the library misses what a page did meanwhile.
  const told: string[] = [];
  const tellNext = () => {
    const message = told.shift();
    if (message === undefined) return;
    if (told.length > 0) setImmediate(tellNext);
    try {
      transport.onmessage?.(JSON.parse(message));
    } catch {
      // It says what no browser says: it is not one any more.
      run.kill("cancelled");
    }
  };
  const take = (chunk: Buffer) => {
    let rest = chunk;
    for (let end = rest.indexOf(0); end >= 0; end = rest.indexOf(0)) {
      const message = Buffer.concat([...parts.splice(0), rest.subarray(0, end)]).toString();
      held = 0;
      rest = rest.subarray(end + 1);
      if (told.push(message) === 1) setImmediate(tellNext);
    }
    parts.push(rest);
    held += rest.length;
    if (held > mostBytes) run.kill("cancelled");
  };
  run.onOutput((stream, chunk) => {
    if (stream === "stdout") take(Buffer.from(chunk));
    else onStderr(chunk);
  });
  void run.exited.then(() => transport.onclose?.("The browser ended."));
  return transport;
}
