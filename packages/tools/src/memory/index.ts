import memoryForget from "./memory-forget.ts";
import memoryGet from "./memory-get.ts";
import memorySave from "./memory-save.ts";
import memorySearch from "./memory-search.ts";

export {
  type FoundMemories,
  type MemoryDraft,
  type MemoryParts,
  memoryCapability,
  type ReadMemory,
  type SavedMemory,
  type WriteMemory,
} from "./memory-capability.ts";
export { memoryForget, memoryGet, memorySave, memorySearch };
export const memoryTools = [memorySave, memorySearch, memoryGet, memoryForget] as const;
