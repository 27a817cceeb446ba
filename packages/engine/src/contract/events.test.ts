import { describe, expect, it } from "vitest";
import { createMemoryEventLog } from "../memory/event-log.ts";
import { chainHash } from "./event-chain.ts";
import { type CallEvent, checkEvent, declareEvents, isCallEvent, type SessionEvent } from "./events.ts";

const facts = { at: 1, session: "s1", tenant: "acme", actor: { kind: "agent", id: "helper" }, door: "agent", data: { n: 1 } } as const;
const started: CallEvent = { ...facts, type: "tool.started", callId: "call_1", tool: "add" };

describe("events that a log takes", () => {
  it("are those of calls, which name their call and tool", () => {
    expect(() => checkEvent(started)).not.toThrow();
    expect(isCallEvent(started)).toBe(true);
    expect(() => checkEvent({ ...facts, type: "tool.started" })).toThrow(/tool\.started names no call or no tool/);
    expect(() => checkEvent({ ...started, type: "tool.begun" } as SessionEvent)).toThrow(/Calls have no event "tool\.begun"/);
  });

  it("are those of a declared family, with a call or without one", () => {
    declareEvents("round", ["begun", "ended"]);
    declareEvents("round", ["begun"]);
    expect(() => checkEvent({ ...facts, type: "round.begun" })).not.toThrow();
    expect(() => checkEvent({ ...facts, type: "round.ended", callId: "call_1" })).not.toThrow();
    expect(isCallEvent({ ...facts, type: "round.begun" })).toBe(false);
    expect(() => checkEvent({ ...facts, type: "round.lost" })).toThrow(
      /"round\.lost" are not declared.*declareEvents\("round", \["lost"\]\)/,
    );
  });

  it("are refused with one code when nobody declared them, and nothing of the batch is written", async () => {
    const log = createMemoryEventLog();
    await expect(log.append([started, { ...facts, type: "stray.step" }])).rejects.toMatchObject({ code: "event_refused" });
    expect(await log.read({ tenant: "acme", session: "s1" })).toEqual([]);
  });

  it.each([
    ["tool", ["step"], /the engine's own/],
    ["Agent", ["step"], /"Agent" is no name/],
    ["agent", ["a.b"], /"a\.b" is no name/],
  ])("cannot be declared as %s %j", (family, names, message) => {
    expect(() => declareEvents(family, names)).toThrow(message);
  });
});

it("an event of a call has the hash that it had before there were other families", () => {
  expect(chainHash(started, 1, "")).toBe("d1e375910eb490fec19a542620ae9eda62365fb0357fda72619067fecb803e92");
});
