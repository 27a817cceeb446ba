export * from "./approval-store-conformance.ts";
export * from "./artifact-store-conformance.ts";
export * from "./conformance-case.ts";
export * from "./door-conformance.ts";
export * from "./event-log-conformance.ts";
export * from "./exec-corpus.ts";
export * from "./manual-clock.ts";
export * from "./tool-conformance.ts";
