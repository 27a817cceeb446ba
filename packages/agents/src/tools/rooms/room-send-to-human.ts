import { defineTool } from "@toolwright/engine";
import { RUN_AGENTS } from "@toolwright/engine/ports";
import { z } from "zod";
import { roomHarness } from "../../rooms/room-harness.ts";
import type {} from "../../rooms/rooms-capability.ts";

/** Says something to the people of the room. */
export default defineTool({
  name: "room_send_to_human",
  title: "Write to people of the room",
  group: "agents",
  icon: "message",
  description:
    "Write to the people of this room: a result, a question, a warning. They read only what you send with this, and none of your answers. Send one message with all that belongs together.",
  input: z.object({
    message: z.string().min(1).max(20_000).describe("What they should read"),
    to: z.string().nullish().describe("Id of one person of the room; all of them where it is left out"),
  }),
  output: z.object({ sent: z.boolean() }),
  permission: RUN_AGENTS,
  visibility: { harness: roomHarness },
  effects: { rooms: "work" },
  examples: [{ label: "A question to all", input: { message: "Order 4711 has no address. Which one is right?" } }],
  toModel: () => [{ type: "text", text: "It was sent. An answer comes as an event." }],
  async run({ message, to }, { rooms }) {
    await rooms.send(message, to ?? undefined);
    return { sent: true };
  },
});
