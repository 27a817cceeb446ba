import { ProxyTracerProvider, trace } from "@opentelemetry/api";

/** True once a program has registered an SDK of OpenTelemetry: before that, a span goes nowhere. */
export function isRegistered(): boolean {
  const provider = trace.getTracerProvider();
  return !(provider instanceof ProxyTracerProvider) || provider.getDelegateTracer("toolwright") !== undefined;
}
