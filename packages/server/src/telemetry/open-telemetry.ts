import type { Logger } from "@toolwright/engine";
import type { Clock, Telemetry } from "@toolwright/engine/ports";
import type { CallMetrics } from "./measure-calls.ts";

type Environment = Readonly<Record<string, string | undefined>>;

export interface TelemetryOptions {
  readonly env: Environment;
  readonly logger: Logger;
  readonly clock: Clock;
  /** True for a server, whose metrics somebody scrapes. */
  readonly metrics: boolean;
}

export interface OpenedTelemetry {
  readonly telemetry?: Telemetry;
  readonly metrics?: CallMetrics;
  close(): Promise<void>;
}

/** Traces as the variables of OpenTelemetry say, and metrics for a server. A command without either loads nothing. */
export async function openTelemetry({ env, logger, clock, metrics: isServer }: TelemetryOptions): Promise<OpenedTelemetry> {
  const wanted = wantsTraces(env);
  if (!wanted && !isServer) return { close: async () => {} };
  const [{ startSdk }, { traceCalls }] = await Promise.all([import("./start-sdk.ts"), import("./trace-calls.ts")]);
  const close = wanted ? await startSdk(env, logger) : async () => {};
  // The name that the instrumentations of model clients share.
  const telemetry = traceCalls({ content: env.OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT === "true" });
  if (!isServer) return { telemetry, close };
  const [{ measureCalls }, { joinTelemetry }] = await Promise.all([import("./measure-calls.ts"), import("./join-telemetry.ts")]);
  const metrics = measureCalls(clock);
  return { telemetry: joinTelemetry(telemetry, metrics), metrics, close };
}

/** The variables that OpenTelemetry itself defines. */
function wantsTraces({ OTEL_SDK_DISABLED, OTEL_EXPORTER_OTLP_ENDPOINT, OTEL_EXPORTER_OTLP_TRACES_ENDPOINT }: Environment): boolean {
  return OTEL_SDK_DISABLED !== "true" && Boolean(OTEL_EXPORTER_OTLP_ENDPOINT || OTEL_EXPORTER_OTLP_TRACES_ENDPOINT);
}
