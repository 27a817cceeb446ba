import { type Attributes, type Context, context, type Span, SpanKind, SpanStatusCode, type Tracer, trace } from "@opentelemetry/api";
import type { CallSpan, EndedCall, Telemetry, TraceContext, TracedCall } from "@toolwright/engine/ports";
import { version } from "../version.ts";
import { isRegistered } from "./is-registered.ts";
import { readTraceContext, writeTraceContext } from "./trace-context.ts";

export interface TraceOptions {
  /** True to record redacted inputs and outputs of calls, which may hold what people wrote. Default false. */
  readonly content?: boolean;
}

/**
 * A span `execute_tool {name}` for each call, by the OpenTelemetry conventions 1.45 for generative AI and MCP, through the OpenTelemetry API: where no
 * SDK is registered, it costs next to nothing.
 */
export function traceCalls({ content = false }: TraceOptions = {}): Telemetry {
  const tracer = trace.getTracer("toolwright", version);
  return { startCall: (call) => (isRegistered() ? spanOf(startSpan(tracer, call), content) : noSpan) };
}

const noSpan: CallSpan = { context: undefined, run: (handler) => handler(), link() {}, end() {} };

/** Its parent is the span that is active here, unless the caller's is of another trace: then that one is, and the active one is linked. */
function startSpan(tracer: Tracer, call: TracedCall): Span {
  const active = context.active();
  const here = trace.getSpanContext(active);
  const given = call.trace?.context && readTraceContext(call.trace.context);
  const isApart = given !== undefined && given.traceId !== here?.traceId;
  const parent: Context = isApart ? trace.setSpanContext(active, given) : active;
  const links = isApart && here ? [{ context: here }] : [];
  return tracer.startSpan(`execute_tool ${nameOf(call)}`, { kind: SpanKind.INTERNAL, attributes: describeCall(call), links }, parent);
}

const toolName = /^[a-z][a-z0-9_-]{0,63}$/;

/** What no tool can be called is the caller's own words, which would make a series of each. */
const nameOf = ({ name }: TracedCall) => (toolName.test(name) ? name : "unknown");

function describeCall(call: TracedCall): Attributes {
  const { id, principal, session, trace: caller } = call;
  const agent = principal.agent ?? (principal.actor.kind === "agent" ? principal.actor.id : undefined);
  return {
    ...caller?.attributes,
    "gen_ai.operation.name": "execute_tool",
    "gen_ai.tool.name": nameOf(call),
    "gen_ai.tool.type": "function",
    "gen_ai.tool.call.id": id,
    "gen_ai.conversation.id": session,
    ...(agent !== undefined && { "gen_ai.agent.id": agent }),
    "toolwright.door": principal.door,
    "toolwright.tenant": principal.tenant,
  };
}

function spanOf(span: Span, content: boolean): CallSpan {
  const own = trace.setSpan(context.active(), span);
  return {
    context: span.isRecording() ? writeTraceContext(span.spanContext()) : undefined,
    run: (handler) => context.with(own, handler),
    link(asked: TraceContext) {
      const linked = readTraceContext(asked);
      if (linked) span.addLink({ context: linked, attributes: { "toolwright.link": "approval" } });
    },
    end(call) {
      if (span.isRecording()) describeEnd(span, call, content);
      span.end();
    },
  };
}

function describeEnd(span: Span, { result, tool, decision, readInput }: EndedCall, content: boolean): void {
  const { status } = result;
  span.setAttribute("toolwright.status", status);
  if (tool) span.setAttribute("gen_ai.tool.description", tool.description);
  if (decision) {
    const { effect, layer, rule, reason } = decision;
    span.setAttributes({
      "toolwright.decision.effect": effect,
      "toolwright.decision.layer": layer,
      "toolwright.decision.rule": rule,
      "toolwright.decision.reason": reason,
    });
  }
  if (status === "pending") span.setAttribute("toolwright.approval.id", result.approval.id);
  if (status === "failed" || status === "unknown") {
    span.setAttribute("error.type", result.error.code);
    span.setStatus({ code: SpanStatusCode.ERROR, ...(content && { message: result.error.message }) });
  }
  if (!content) return;
  span.setAttribute("gen_ai.tool.call.arguments", JSON.stringify(readInput()));
  if (status === "done") span.setAttribute("gen_ai.tool.call.result", JSON.stringify(result.output));
}
