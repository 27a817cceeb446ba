export { joinTelemetry } from "./join-telemetry.ts";
export { type CallMetrics, measureCalls } from "./measure-calls.ts";
export { type TraceOptions, traceCalls } from "./trace-calls.ts";
