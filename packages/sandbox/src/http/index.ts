export * from "./dial.ts";
export * from "./http-capability.ts";
export * from "./public-documents.ts";
export * from "./resolve-target.ts";
