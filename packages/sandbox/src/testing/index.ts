export * from "./call-site.ts";
export * from "./path-corpus.ts";
export type { PathStep } from "./path-stage.ts";
export * from "./runtime-conformance.ts";
export * from "./scripted-web.ts";
export * from "./ssrf-corpus.ts";
export * from "./test-identity.ts";
