import type { CallResult } from "../contract/call.ts";
import type { Decision } from "../contract/decision.ts";
import type { Json } from "../contract/json.ts";
import type { Principal } from "../contract/principal.ts";

/** Where a trace goes on, in the words of W3C Trace Context: as a caller sends it, and as a record keeps it. */
export interface TraceContext {
  readonly traceparent: string;
  readonly tracestate?: string;
}

/** What only the door knows of a call for its trace. */
export interface CallerTrace {
  /** The span of the caller, which becomes the parent of the call's. */
  readonly context?: TraceContext | undefined;
  /** Attributes by their names in the OpenTelemetry conventions, such as `mcp.method.name`. */
  readonly attributes?: Readonly<Record<string, string>>;
}

/** A call as it begins. */
export interface TracedCall {
  readonly id: string;
  /** As the caller wrote it: there may be no such tool. */
  readonly name: string;
  readonly principal: Principal;
  readonly session: string;
  readonly trace?: CallerTrace | undefined;
}

/** A call as it ends. Input and output are redacted. */
export interface EndedCall {
  readonly result: CallResult;
  /** Undefined where no tool of that name was found. */
  readonly tool: { readonly name: string; readonly description: string } | undefined;
  /** Why it ran; undefined where it did not. */
  readonly decision: Decision | undefined;
  readonly readInput: () => Json;
}

/** The span of one call. Nothing of it throws. */
export interface CallSpan {
  /** What a record keeps to find the span again; undefined where nobody records it. */
  readonly context: TraceContext | undefined;
  /** Runs the handler of the tool inside the span: spans that begin there are its children. */
  run<Value>(handler: () => Value): Value;
  /** Links the span of a call that goes on after a person answered to the span in which it asked. */
  link(context: TraceContext): void;
  end(call: EndedCall): void;
}

/** What the event loop works on, as a watchdog names it. */
export interface LoopWork {
  /** A tool, operation or route, from the product's own lists; undefined while it is not known. */
  readonly name?: string | undefined;
  readonly tenant?: string | undefined;
  readonly callId?: string | undefined;
}

/** Traces and measures calls. *Contract:* it is quick, does not wait, and does not throw. */
export interface Telemetry {
  /** Called once for each call, before anything of it happens. */
  startCall(call: TracedCall): CallSpan;
  /** Runs a call, operation or request, with all that it waits for, under a description that is read only when it held the event loop. */
  within?<Value>(describe: () => LoopWork, action: () => Value): Value;
}
