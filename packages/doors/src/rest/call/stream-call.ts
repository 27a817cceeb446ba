import type { InvokeOptions } from "@toolwright/engine";
import type { Clock } from "@toolwright/engine/ports";
import type { MakeCall } from "../../detached-calls.ts";
import { streamEvents } from "../event-stream.ts";

/**
 * A call as a stream: `started` with its id, `progress` and `output` while it runs, and its `result`. A client that leaves cancels it, unless it was
 * to run on.
 */
export function streamCall(make: MakeCall, clock: Clock): Response {
  return streamEvents(async ({ send }, signal) => {
    const options: InvokeOptions = {
      signal,
      showsOutput: true,
      onStart: (callId) => send({ event: "started", data: { callId } }),
      onProgress: (progress) => send({ event: "progress", data: progress }),
      onOutput: (text) => send({ event: "output", data: { text } }),
    };
    send({ event: "result", data: await make(options) });
  }, clock);
}
