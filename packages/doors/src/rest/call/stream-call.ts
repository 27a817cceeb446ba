import type { InvokeOptions } from "@toolwright/engine";
import type { Clock } from "@toolwright/engine/ports";
import type { MakeCall } from "../../detached-calls.ts";
import { streamEvents } from "../event-stream.ts";

interface Streaming {
  readonly clock: Clock;
  /** True: the result holds what was streamed as output, too. */
  readonly isWhole: boolean;
}

/**
 * A call as a stream: `started` with its id, `progress`, `log` and `output` while it runs, and its `result`. A client that leaves cancels it, unless
 * it was to run on.
 */
export function streamCall(make: MakeCall, { clock, isWhole }: Streaming): Response {
  return streamEvents(async ({ send }, signal) => {
    const options: InvokeOptions = {
      signal,
      showsOutput: !isWhole,
      onStart: (callId) => send({ event: "started", data: { callId } }),
      onProgress: (progress) => send({ event: "progress", data: progress }),
      onLog: (level, message) => send({ event: "log", data: { level, message } }),
      onOutput: (text) => send({ event: "output", data: { text } }),
    };
    send({ event: "result", data: await make(options) });
  }, clock);
}
