import type { AnyTool } from "@toolwright/engine";
import { artifactTools } from "./artifacts/index.ts";
import { codeTools } from "./code/index.ts";
import { fileTools } from "./fs/index.ts";
import { gitTools } from "./git/index.ts";
import { netTools } from "./net/index.ts";
import { runtimeTools } from "./runtime/index.ts";

export { artifactRead, artifactTools } from "./artifacts/index.ts";
export {
  type CodeRequest,
  type CodeRunner,
  codeCapability,
  codeRun,
  codeTools,
  type ProgramAnswer,
  type ProgramEnding,
} from "./code/index.ts";
export { fileDelete, fileEdit, fileList, filePatch, fileRead, fileSearch, fileTools, fileWrite } from "./fs/index.ts";
export { gitTools } from "./git/index.ts";
export { netTools } from "./net/index.ts";
export { exec, processList, processRead, processStop, processWrite, runtimeTools } from "./runtime/index.ts";

/** Every tool that comes with the product, in the order in which they are listed. */
export const builtinTools: readonly AnyTool[] = [...fileTools, ...runtimeTools, ...netTools, ...gitTools, ...artifactTools];

/** Those and the ones that need more of their host than a machine: a store, a model, services elsewhere. */
export const productTools: readonly AnyTool[] = [...builtinTools, ...codeTools];

/** All that they ask of a caller: who has these may use every one of them. */
export const builtinPermissions: readonly string[] = [...new Set(productTools.flatMap(({ permission }) => permission ?? []))];
