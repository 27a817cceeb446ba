export { joinTelemetry } from "./join-telemetry.ts";
export { type CallMetrics, measureCalls } from "./measure-calls.ts";
export { type TraceOptions, traceCalls } from "./trace-calls.ts";
export { type HeldLoop, type LoopWatch, type LoopWatchOptions, watchLoop } from "./watch-loop.ts";
