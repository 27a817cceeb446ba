import { answerOf, type DoorAdapter } from "./door-adapter.ts";

/**
 * The scope itself: what every other door is held against. A door that goes on with a call by its approval is held against `resume`, one whose clients
 * can only call again against the repeated call.
 */
export const inProcessDoor = (goesOn: "resume" | "repeat"): DoorAdapter => ({
  name: `in process, ${goesOn}`,
  async open({ engine, principal, session }) {
    const scope = engine.scope(principal, { session });
    const told: unknown[] = [];
    const tell = <Value>(value: Value): Value => {
      told.push(value);
      return value;
    };
    return {
      list: async () =>
        scope.list().map(({ name, description, inputSchema, unionSchema }) => tell({ name, description, inputSchema, unionSchema })),
      call: async (name, input) => answerOf(tell(await scope.invokeNamed(name, input, { takeUpWaiting: goesOn === "repeat" }))),
      ...(goesOn === "resume" && { resume: async (approvalId: string) => answerOf(tell(await scope.resume(approvalId))) }),
      heard: () => JSON.stringify(told.splice(0)),
      close: async () => {},
    };
  },
});
