export { hooksView, madeHookView } from "../operations/views/hooks.ts";
export { roomsView, roomView } from "../operations/views/rooms.ts";
export { sessionsView, sharedView } from "../operations/views/sessions.ts";
