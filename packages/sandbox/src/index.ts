export type { EgressOptions } from "./egress/open-gateway.ts";
export * from "./exec/index.ts";
export * from "./files/index.ts";
export * from "./git/index.ts";
export * from "./http/index.ts";
export * from "./runtimes/index.ts";
