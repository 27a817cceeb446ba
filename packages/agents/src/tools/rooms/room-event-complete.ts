import { defineTool } from "@toolwright/engine";
import { RUN_AGENTS } from "@toolwright/engine/ports";
import { z } from "zod";
import { roomHarness } from "../../rooms/room-harness.ts";
import type {} from "../../rooms/rooms-capability.ts";

/** Takes an event off the queue of the room. */
export default defineTool({
  name: "room_event_complete",
  title: "Complete an event",
  group: "agents",
  icon: "check",
  description:
    "Say that an event of this cycle is dealt with, when all that it needs is done. One that you do not complete comes back with the next cycle, and in the end goes to a person.",
  input: z.object({
    event: z.int().min(1).describe("Its number, as the message that began the cycle has it"),
    outcome: z.string().max(2_000).nullish().describe("What came of it, in one sentence"),
  }),
  output: z.object({ completed: z.int() }),
  permission: RUN_AGENTS,
  visibility: { harness: roomHarness },
  effects: { rooms: "work", idempotent: true },
  examples: [{ label: "Dealt with", input: { event: 1, outcome: "The invoice is sent." } }],
  toModel: ({ completed }) => [{ type: "text", text: `Event ${completed} is completed.` }],
  async run({ event, outcome }, { rooms }) {
    await rooms.complete(event, outcome ?? undefined);
    return { completed: event };
  },
});
