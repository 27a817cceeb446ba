import type { Principal } from "@toolwright/engine";

/** Category of the tools that an agent has in the cycles of a room, and nowhere else. */
export const roomHarness = "room";

/** True in a cycle of a room, and in all that one of its calls begins. */
export function isInCycle({ harness, delegated }: Principal): boolean {
  return harness?.includes(roomHarness) === true || (delegated !== undefined && isInCycle(delegated.from));
}
