export { aiSDKDoor, isAISDKInstalled } from "./ai-sdk-door.ts";
export type { Difference } from "./compare-doors.ts";
export { describeDoors, pageOfDoors } from "./describe-doors.ts";
export {
  answerOf,
  approvalOf,
  type DoorAdapter,
  type DoorAnswer,
  type DoorClient,
  type DoorWorld,
  decisionOf,
  errorOf,
  type OfferedTool,
} from "./door-adapter.ts";
export { formDoor } from "./form-door.ts";
export { type RestDoorChoice, restDoor, type ServedRest } from "./rest-doors.ts";
export { type Cell, type DoorConformanceOptions, type DoorReport, doorConformance } from "./run-matrix.ts";
export type { Subject } from "./subjects.ts";
