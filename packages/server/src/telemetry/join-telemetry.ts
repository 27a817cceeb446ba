import type { Telemetry } from "@toolwright/engine/ports";

/** Both hear of every call. The first one names the span, and runs work under its description. */
export function joinTelemetry(first: Telemetry, second: Telemetry): Telemetry {
  const within = first.within ?? second.within;
  return {
    ...(within && { within }),
    startCall(call) {
      const [one, two] = [first.startCall(call), second.startCall(call)];
      return {
        context: one.context ?? two.context,
        run: (handler) => one.run(() => two.run(handler)),
        link(context) {
          one.link(context);
          two.link(context);
        },
        end(ended) {
          one.end(ended);
          two.end(ended);
        },
      };
    },
  };
}
