import type { AnyTool } from "@toolwright/engine";
import { artifactTools } from "./artifacts/index.ts";
import { codeTools } from "./code/index.ts";
import { documentTools, verifyTools } from "./documents/index.ts";
import { fileTools } from "./fs/index.ts";
import { gitTools } from "./git/index.ts";
import { knowledgeTools } from "./knowledge/index.ts";
import { memoryTools } from "./memory/index.ts";
import { netTools, searchTools } from "./net/index.ts";
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
export { documentRead, documentTools, documentVerify, verifyTools } from "./documents/index.ts";
export { fileDelete, fileEdit, fileList, filePatch, fileRead, fileSearch, fileTools, fileWrite } from "./fs/index.ts";
export { gitTools } from "./git/index.ts";
export {
  type DocumentDraft,
  type FoundPassage,
  type FoundPassages,
  type KnowledgeParts,
  knowledgeCapability,
  knowledgeDelete,
  knowledgeGet,
  knowledgeList,
  knowledgeSearch,
  knowledgeTools,
  knowledgeWrite,
  type ReadKnowledge,
  searchKnowledge,
  startDocuments,
  type WorkDocumentsParts,
  type WriteKnowledge,
  type WrittenDocument,
} from "./knowledge/index.ts";
export {
  type FoundMemories,
  type MemoryDraft,
  type MemoryParts,
  memoryCapability,
  memoryForget,
  memoryGet,
  memorySave,
  memorySearch,
  memoryTools,
  type ReadMemory,
  type SavedMemory,
  type WriteMemory,
} from "./memory/index.ts";
export { netTools, searchTools, webSearch } from "./net/index.ts";
export type { ReadAnswer, SearchHit } from "./net/search/read-answer.ts";
export {
  type OperatorSearch,
  type SearchParts,
  searchCapability,
  type WebSearch,
} from "./net/search/search-capability.ts";
export type { SearchRequest } from "./net/search/search-provider.ts";
export { indexText, startVectors, type VectorLoop } from "./ranking/index.ts";
export { exec, processList, processRead, processStop, processWrite, runtimeTools } from "./runtime/index.ts";

/** Every tool that comes with the product, in the order in which they are listed. */
export const builtinTools: readonly AnyTool[] = [
  ...fileTools,
  ...runtimeTools,
  ...netTools,
  ...gitTools,
  ...artifactTools,
  ...documentTools,
];

/** Those and the ones that need more of their host than a machine: a store, a model, services elsewhere. */
export const productTools: readonly AnyTool[] = [
  ...builtinTools,
  ...searchTools,
  ...memoryTools,
  ...knowledgeTools,
  ...codeTools,
  ...verifyTools,
];

/** All that they ask of a caller: who has these may use every one of them. */
export const builtinPermissions: readonly string[] = [...new Set(productTools.flatMap(({ permission }) => permission ?? []))];
