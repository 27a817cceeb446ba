import type { AnyTool } from "@toolwright/engine";
import scheduleAdd from "./schedule-add.ts";
import scheduleList from "./schedule-list.ts";
import scheduleRemove from "./schedule-remove.ts";

/** The tools with which calls and messages are made at times to come. */
export const scheduleTools: readonly AnyTool[] = [scheduleAdd, scheduleList, scheduleRemove];
