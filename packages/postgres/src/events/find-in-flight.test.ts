import type { CallEvent } from "@toolwright/engine";
import { expect, test } from "vitest";
import { findInFlight } from "./find-in-flight.ts";

const event = (type: CallEvent["type"], callId: string, data: CallEvent["data"] = {}): CallEvent => ({
  ...{ type, callId, data, at: 0, session: "s", tenant: "default", actor: { kind: "user", id: "ann" }, door: "hook", tool: "exec" },
});

test("a call that began here and has not ended is in flight", () => {
  expect(findInFlight([event("tool.started", "a"), event("tool.started", "b"), event("tool.completed", "b")])).toEqual({
    starting: ["a"],
    ending: null,
  });
});

test("a call that another program runs is never in flight, so nothing ends it as lost", () => {
  const elsewhere = { elsewhere: true };
  expect(findInFlight([event("tool.started", "a", elsewhere), event("tool.completed", "b", elsewhere)])).toEqual({
    starting: null,
    ending: null,
  });
});
