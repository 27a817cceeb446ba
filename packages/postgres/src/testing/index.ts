export { openDatabase } from "../open-store.ts";
export { type EngineProcess, startEngineProcess } from "./engine-process.ts";
export { analyze, type ExplainOptions, explainQueries } from "./explain-queries.ts";
export { createTestFolder, prepareTestDatabases, type TestDatabases } from "./prepare-test-databases.ts";
export { openProbeEngine, type ProbeEngine, type ProbeOptions } from "./probe-engine.ts";
export { mountSmallDisk, type SmallDisk, whyNoSmallDisk } from "./small-disk.ts";
export { startTestServer, type TestServer, type TestServerFolders } from "./start-test-server.ts";
export {
  createServerDatabase,
  openEmptyDatabase,
  openTestDatabase,
  productDatabaseKinds,
  type TestDatabase,
  type TestDatabaseKind,
  testDatabaseKinds,
} from "./test-database.ts";
