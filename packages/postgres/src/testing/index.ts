export * from "./prepare-test-databases.ts";
export * from "./start-test-server.ts";
export * from "./test-database.ts";
