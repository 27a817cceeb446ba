export { roomsView, roomView } from "../operations/views/rooms.ts";
