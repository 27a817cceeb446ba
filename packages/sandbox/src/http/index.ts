export * from "./credentials.ts";
export * from "./dial.ts";
export * from "./http-capability.ts";
export * from "./resolve-target.ts";
