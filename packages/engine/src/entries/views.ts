export { headsView } from "../operations/views/events.ts";
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
export { jobCancelledView, jobRemovedView, jobsView, jobView, schedulesView, scheduleView } from "../operations/views/jobs.ts";
export { roomsView, roomView } from "../operations/views/rooms.ts";
export { runsView, runView, runWhyView } from "../operations/views/runs.ts";
export { secretRemovedView, secretsView } from "../operations/views/secrets.ts";
