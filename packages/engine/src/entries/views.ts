export { grantsView } from "../operations/views/grants.ts";
export { roomsView, roomView } from "../operations/views/rooms.ts";
