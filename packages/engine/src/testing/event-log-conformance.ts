import assert from "node:assert/strict";
import { findBrokenLink } from "../contract/event-chain.ts";
import { type CallEvent, declareEvents } from "../contract/events.ts";
import type { EventLog } from "../ports/event-log.ts";
import { type ConformanceCase, casesOn } from "./conformance-case.ts";

function makeEvent(session: string, at: number, tenant = "acme"): CallEvent {
  return {
    type: "tool.started",
    at,
    session,
    tenant,
    actor: { kind: "user", id: "ann" },
    door: "cli",
    callId: `call_${at}`,
    tool: "add",
    data: { n: at },
  };
}

declareEvents("conformance", ["step"]);

/** What every event log must do. */
export function eventLogConformance(
  open: () => Promise<{ readonly log: EventLog; readonly cleanup: () => Promise<void> }>,
): readonly ConformanceCase[] {
  const withLog = casesOn(open);
  return [
    withLog("numbers the events of a session from 1 without a gap, also when they come at once", async ({ log }) => {
      await Promise.all(Array.from({ length: 50 }, (_, at) => log.append([makeEvent("s1", at), makeEvent("s2", at)])));
      const stored = await log.read({ tenant: "acme", session: "s1" });
      assert.deepEqual(
        stored.map(({ sequence }) => sequence),
        Array.from({ length: 50 }, (_, index) => index + 1),
      );
    }),
    withLog("links each event to the one before it, so that a change shows (R-AU-2)", async ({ log }) => {
      await log.append([makeEvent("s1", 1), makeEvent("s1", 2), makeEvent("s1", 3)]);
      const stored = await log.read({ tenant: "acme", session: "s1" });
      const [first, second, third] = stored;
      assert.ok(first && second && third);
      assert.equal(first.previous, "");
      assert.equal(findBrokenLink(stored), undefined);
      assert.equal(findBrokenLink([first, { ...second, event: { ...second.event, at: 99 } }, third]), 2);
      assert.equal(findBrokenLink([first, third]), 3);
      assert.equal(findBrokenLink([second, first]), 1);
    }),
    withLog("reads on from a sequence, at most as many as asked for", async ({ log }) => {
      await log.append([1, 2, 3, 4].map((at) => makeEvent("s1", at)));
      const read = await log.read({ tenant: "acme", session: "s1", after: 1, limit: 2 });
      assert.deepEqual(
        read.map(({ sequence }) => sequence),
        [2, 3],
      );
    }),
    withLog("keeps events of a declared family, with a call or without one, in the same chain", async ({ log }) => {
      const { callId, tool, ...facts } = makeEvent("s1", 2);
      const step = { ...facts, type: "conformance.step" } as const;
      await log.append([makeEvent("s1", 1), step, { ...step, callId }, { ...makeEvent("s1", 3), type: "tool.completed" }]);
      const stored = await log.read({ tenant: "acme", session: "s1" });
      assert.deepEqual(
        stored.map(({ event }) => [event.type, event.callId, event.tool]),
        [
          ["tool.started", "call_1", tool],
          ["conformance.step", undefined, undefined],
          ["conformance.step", callId, undefined],
          ["tool.completed", "call_3", tool],
        ],
      );
      assert.equal(findBrokenLink(stored), undefined);
    }),
    withLog("refuses an event of a family that nobody declared, and writes nothing of what came with it", async ({ log }) => {
      const { tool: _, ...facts } = makeEvent("s1", 1);
      for (const odd of [{ ...facts, type: "stray.step" } as const, facts])
        await assert.rejects(log.append([makeEvent("s1", 1), odd]), { code: "event_refused" });
      assert.deepEqual(await log.read({ tenant: "acme", session: "s1" }), []);
    }),
    withLog("shows a tenant's events to no other tenant (R-TN-3)", async ({ log }) => {
      await log.append([makeEvent("s1", 1)]);
      assert.deepEqual(await log.read({ tenant: "other", session: "s1" }), []);
    }),
  ];
}
