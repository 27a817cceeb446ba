export * from "./exec/index.ts";
export * from "./files/index.ts";
export * from "./http/index.ts";
export * from "./runtimes/index.ts";
