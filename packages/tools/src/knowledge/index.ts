import knowledgeDelete from "./knowledge-delete.ts";
import knowledgeGet from "./knowledge-get.ts";
import knowledgeList from "./knowledge-list.ts";
import knowledgeSearch from "./knowledge-search.ts";
import knowledgeWrite from "./knowledge-write.ts";

export { type FoundPassage, type FoundPassages, searchKnowledge } from "./find-passages.ts";
export {
  type DocumentDraft,
  type KnowledgeParts,
  knowledgeCapability,
  type ReadKnowledge,
  type WriteKnowledge,
  type WrittenDocument,
} from "./knowledge-capability.ts";
export { startDocuments, type WorkDocumentsParts } from "./work-documents.ts";
export { knowledgeDelete, knowledgeGet, knowledgeList, knowledgeSearch, knowledgeWrite };
export const knowledgeTools = [knowledgeWrite, knowledgeSearch, knowledgeGet, knowledgeList, knowledgeDelete] as const;
