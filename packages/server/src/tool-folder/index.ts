export { findToolFiles, isToolFile } from "./find-tool-files.ts";
export { type Admission, createFolderSource, type FolderSourceOptions, type FolderTrust } from "./folder-source.ts";
export { isInPackage, type ModuleGuard, packageOf } from "./module-hooks.ts";
export { openToolFolder } from "./open-tool-folder.ts";
