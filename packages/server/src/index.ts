export { type ComposeOptions, composeToolwright, type PolicyObserver, type Toolwright } from "./compose.ts";
export type { ServerIo } from "./io.ts";
export { type LoadedPolicy, type LoadPolicyOptions, loadPolicyFile, PolicyFileError } from "./policy-file/load-policy-file.ts";
export type { Settings } from "./settings.ts";
export { SettingsError } from "./settings-error.ts";
export { createFolderSource, type FolderSourceOptions } from "./tool-folder/folder-source.ts";
