export { type ComposeOptions, composeToolwright, type ProbedRuntime, type Toolwright } from "./compose.ts";
export { exitCodes } from "./exit-code.ts";
export type { Io } from "./io.ts";
export { runProgram } from "./program.ts";
export { type FetchHandler, nodeListener } from "./serve/node-listener.ts";
export { type CommonOptions, readSettings, type Settings } from "./settings.ts";
export { createFileApprovalStore } from "./state/file-approval-store.ts";
export { createFileArtifactStore } from "./state/file-artifact-store.ts";
export { createFolderSource, type FolderSourceOptions } from "./tool-folder/folder-source.ts";
