export { describeDocument, documentView, passagesView, removedDocumentView } from "../operations/views/documents.ts";
export { hooksView, madeHookView } from "../operations/views/hooks.ts";
export { exportedMemoriesView, memoriesView, memoryView, removedMemoryView, savedMemoryView } from "../operations/views/memories.ts";
export { modelChecksView, modelsView } from "../operations/views/models.ts";
export { roomsView, roomView } from "../operations/views/rooms.ts";
export { sessionsView, sharedView } from "../operations/views/sessions.ts";
export { cancelledTurnView, turnsView, turnView } from "../operations/views/turns.ts";
