export * from "./engine-process.ts";
export * from "./explain-queries.ts";
export * from "./prepare-test-databases.ts";
export * from "./probe-engine.ts";
export * from "./small-disk.ts";
export * from "./start-test-server.ts";
export * from "./test-database.ts";
