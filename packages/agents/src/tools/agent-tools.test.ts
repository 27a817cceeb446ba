import { toolConformance } from "@toolwright/engine/testing";
import { describe, test } from "vitest";
import { outboundTools } from "../channels/tools/index.ts";
import { scheduleTools } from "../schedules/tools/index.ts";
import { agentTools } from "./index.ts";
import { roomTools } from "./rooms/index.ts";

const all = [...agentTools, ...scheduleTools, ...roomTools, ...outboundTools];

describe.each(all.map((definition) => [definition.name, definition] as const))("%s", (name, definition) => {
  for (const { name: rule, run, skip } of toolConformance([{ source: name, definition }])) test.skipIf(skip !== undefined)(rule, run);
});
