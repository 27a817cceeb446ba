export {
  keyMadeView,
  keysView,
  roleSetView,
  rolesView,
  tenantsView,
  userRemovedView,
  userSetView,
  whoamiView,
} from "../operations/views/identity.ts";
export { roomsView, roomView } from "../operations/views/rooms.ts";
