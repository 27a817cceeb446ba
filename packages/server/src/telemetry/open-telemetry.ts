import type { Logger } from "@toolwright/engine";
import type { Clock, Telemetry } from "@toolwright/engine/ports";
import { SettingsError } from "../settings-error.ts";
import type { CallMetrics } from "./measure-calls.ts";

type Environment = Readonly<Record<string, string | undefined>>;

interface TelemetryOptions {
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
  const limitMs = readLimit(env);
  const [{ measureCalls }, { joinTelemetry }] = await Promise.all([import("./measure-calls.ts"), import("./join-telemetry.ts")]);
  const metrics = measureCalls(clock);
  const joined = joinTelemetry(telemetry, metrics);
  if (limitMs === 0) return { telemetry: joined, metrics, close };
  const [{ watchLoop }, { reportHeld }] = await Promise.all([import("./watch-loop.ts"), import("./report-held.ts")]);
  const report = reportHeld({ logger, clock });
  const watch = watchLoop({
    limitMs,
    onHeld(held) {
      metrics.held(held.operation, held.ms);
      report(held);
    },
  });
  const closeAll = async () => {
    await watch.stop();
    await close();
  };
  return { telemetry: { ...joined, within: watch.within }, metrics, close: closeAll };
}

/** Milliseconds from which the event loop counts as held; 0 watches nothing. */
function readLimit({ TOOLWRIGHT_LOOP_LIMIT_MS: given }: Environment): number {
  if (!given) return 200;
  if (/^\d{1,6}$/.test(given) && (given === "0" || Number(given) >= 20)) return Number(given);
  throw new SettingsError(
    `TOOLWRIGHT_LOOP_LIMIT_MS is ${JSON.stringify(given)}. Set it to milliseconds from 20, to 0 for no watch, or leave it out for 200.`,
  );
}

/** The variables that OpenTelemetry itself defines. */
function wantsTraces({ OTEL_SDK_DISABLED, OTEL_EXPORTER_OTLP_ENDPOINT, OTEL_EXPORTER_OTLP_TRACES_ENDPOINT }: Environment): boolean {
  return OTEL_SDK_DISABLED !== "true" && Boolean(OTEL_EXPORTER_OTLP_ENDPOINT || OTEL_EXPORTER_OTLP_TRACES_ENDPOINT);
}
