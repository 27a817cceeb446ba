import { defineTool } from "@toolwright/engine";
import { RUN_AGENTS } from "@toolwright/engine/ports";
import { z } from "zod";
import type {} from "../../rooms/rooms-capability.ts";

/** Adds an event to the queue of a room. */
export default defineTool({
  name: "room_post",
  title: "Post to a room",
  group: "agents",
  icon: "inbox",
  description:
    "Add an event to the queue of a room, whose agent takes it up by itself. Use it for what needs no answer now. To have an answer, run the agent with agent_run.",
  input: z.object({
    room: z.string().describe("Id of the room"),
    message: z.string().min(1).max(20_000).describe("What happened, or what is to be done"),
  }),
  output: z.object({ event: z.int().describe("Its number in the room") }),
  permission: RUN_AGENTS,
  effects: { rooms: "post" },
  examples: [{ label: "Something happened", input: { room: "room_81f2", message: "Order 4711 was paid." } }],
  toModel: ({ event }) => [{ type: "text", text: `It is event ${event} of the room.` }],
  run: async ({ room, message }, { rooms }) => ({ event: await rooms.post(room, message) }),
});
