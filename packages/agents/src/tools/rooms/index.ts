import type { AnyTool } from "@toolwright/engine";
import roomCompactHistory from "./room-compact-history.ts";
import roomEventComplete from "./room-event-complete.ts";
import roomPost from "./room-post.ts";
import roomSendToHuman from "./room-send-to-human.ts";

/** Posting to rooms, and what only agents in rooms have. */
export const roomTools: readonly AnyTool[] = [roomPost, roomSendToHuman, roomEventComplete, roomCompactHistory];
