export { readFolders } from "./conversation-folders.ts";
export { type KeptToken, keptToken } from "./kept-token.ts";
export { makeFolder } from "./make-folder.ts";
export { markSettings, reachable, readServerRecord, recordServer, type ServerRecord } from "./server-record.ts";
export { cacheFolder, configurationFolder, homeOf, stateFolder } from "./state-folder.ts";
export { writeWhole } from "./write-whole.ts";
