export { type ComposeOptions, composeToolwright, type PolicyObserver, type Toolwright } from "./compose.ts";
export {
  createToolwright,
  type EmbeddedToolwright,
  type ListenChoice,
  type McpChoices,
  type RestChoices,
  type StoreChoice,
  type StoreOf,
  type ToolwrightAddress,
  type ToolwrightOptions,
} from "./create/create-toolwright.ts";
export type { Identify } from "./create/identify.ts";
export type { MemoryStore } from "./create/memory-store.ts";
export type { ServerIo } from "./io.ts";
export { type LoadedPolicy, type LoadPolicyOptions, loadPolicyFile, PolicyFileError } from "./policy-file/load-policy-file.ts";
export type { Settings } from "./settings.ts";
export { SettingsError } from "./settings-error.ts";
export { createFolderSource, type FolderSourceOptions } from "./tool-folder/folder-source.ts";
export type { WorkspaceSite } from "./workspaces.ts";
