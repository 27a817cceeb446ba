export { grantsView } from "../operations/views/grants.ts";
export { roomsView, roomView } from "../operations/views/rooms.ts";
export { changedSkillView, removedSkillView, skillsView, skillView } from "../operations/views/skills.ts";
export { enabledView, toolVersionsView } from "../operations/views/tools.ts";
