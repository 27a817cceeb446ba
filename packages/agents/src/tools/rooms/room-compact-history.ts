import { defineTool } from "@toolwright/engine";
import { RUN_AGENTS } from "@toolwright/engine/ports";
import { z } from "zod";
import { roomHarness } from "../../rooms/room-harness.ts";
import type {} from "../../rooms/rooms-capability.ts";

/** Has the next cycle of the room begin a new conversation. */
export default defineTool({
  name: "room_compact_history",
  title: "Begin a new conversation",
  group: "agents",
  icon: "fold",
  description:
    "Write down what later cycles need to know of this conversation. The next cycle begins a new conversation that starts with it; this one stays as it is. Use it when the conversation has become long and most of it does not matter any more.",
  input: z.object({ summary: z.string().min(1).max(20_000).describe("What is open, decided and known, complete in itself") }),
  output: z.object({ kept: z.boolean() }),
  permission: RUN_AGENTS,
  visibility: { harness: roomHarness },
  effects: { rooms: "work", idempotent: true },
  examples: [{ label: "What is open", input: { summary: "Order 4711 waits for an address; Ann was asked on Monday." } }],
  toModel: () => [{ type: "text", text: "The next cycle begins with it." }],
  async run({ summary }, { rooms }) {
    await rooms.compact(summary);
    return { kept: true };
  },
});
