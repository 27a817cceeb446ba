import type { CallSpan, EndedCall, Telemetry, TracedCall } from "@toolwright/engine/ports";
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from "prom-client";

/** What Prometheus scrapes. */
export interface CallMetrics extends Telemetry {
  /** Counts a stretch in which an operation held the event loop. */
  held(operation: string, ms: number): void;
  readonly contentType: string;
  render(): Promise<string>;
}

/** Tools and doors that get a label of their own; each combination of labels is a series that Prometheus keeps. */
const mostNames = 200;
const heldSeconds = [0.25, 0.5, 1, 2.5, 5, 10, 30];
const seconds = [0.001, 0.005, 0.025, 0.1, 0.5, 2.5, 10, 60, 300];

/** Counts and times calls, beside what prom-client knows of the process. No label names a tenant, a person or an input. */
export function measureCalls(clock: { monotonic(): number }): CallMetrics {
  const registry = new Registry();
  const registers = [registry];
  collectDefaultMetrics({ register: registry });
  const calls = new Counter({
    name: "toolwright_calls_total",
    help: "Calls that ended or began to wait, by tool, door and status.",
    labelNames: ["tool", "door", "status"],
    registers,
  });
  const errors = new Counter({
    name: "toolwright_call_errors_total",
    help: "Calls that failed, by tool and error code.",
    labelNames: ["tool", "code"],
    registers,
  });
  const durations = new Histogram({
    name: "toolwright_call_duration_seconds",
    help: "Time from when a call came to its result, by tool.",
    labelNames: ["tool"],
    buckets: seconds,
    registers,
  });
  const held = new Histogram({
    name: "toolwright_event_loop_held_seconds",
    help: "Processor time of stretches in which the event loop did nothing else, by tool, operation or route.",
    labelNames: ["operation"],
    buckets: heldSeconds,
    registers,
  });
  const running = new Gauge({ name: "toolwright_calls_running", help: "Calls that have no result yet.", registers });
  const [toolLabel, doorLabel, heldLabel] = [boundedLabel(), boundedLabel(), boundedLabel()];
  const end = ({ principal }: TracedCall, startedAt: number, { result, tool: found }: EndedCall) => {
    // A name that no tool has is the caller's own words.
    const tool = found ? toolLabel(found.name) : "unknown";
    running.dec();
    calls.inc({ tool, door: doorLabel(principal.door), status: result.status });
    if (result.status === "failed" || result.status === "unknown") errors.inc({ tool, code: result.error.code });
    durations.observe({ tool }, (clock.monotonic() - startedAt) / 1000);
  };
  return {
    contentType: registry.contentType,
    render: () => registry.metrics(),
    held: (operation, ms) => held.observe({ operation: heldLabel(operation) }, ms / 1000),
    startCall(call): CallSpan {
      const startedAt = clock.monotonic();
      running.inc();
      return { context: undefined, run: (handler) => handler(), link() {}, end: (ended) => end(call, startedAt, ended) };
    },
  };
}

/** Names beyond the bound share one label. */
function boundedLabel(): (name: string) => string {
  const known = new Set<string>();
  return (name) => {
    if (known.has(name)) return name;
    if (known.size >= mostNames) return "other";
    known.add(name);
    return name;
  };
}
