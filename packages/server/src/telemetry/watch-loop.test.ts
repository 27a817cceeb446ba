import { createManualClock } from "@toolwright/engine/testing";
import { expect, it, test } from "vitest";
import { reportHeld } from "./report-held.ts";
import { judgeStretch } from "./watch-loop.ts";

const start = { at: 0, cpuMs: 0, gcMs: 0 };
/** A beat that comes `late` milliseconds after its time. */
const beat = (late: number, cpuMs = late, gcMs = 0) => ({ at: 25 + late, cpuMs, gcMs });

test.each<[name: string, now: ReturnType<typeof beat>, found: string | undefined]>([
  ["201 ms of work hold the loop", beat(201), "work"],
  ["199 ms of work do not", beat(199), undefined],
  ["a suspended process is not accused", beat(60_000, 3), undefined],
  ["a process that waits for a busy machine is not accused", beat(900, 190), undefined],
  ["work that a busy machine slows is counted by its own time", beat(900, 201), "work"],
  ["collected garbage is no work", beat(400, 400, 300), "garbage_collection"],
  ["work that makes garbage stays work", beat(900, 900, 300), "work"],
])("%s", (_name, now, found) => {
  expect(judgeStretch(start, now, 200)).toBe(found);
});

it("logs a line an operation and minute, with how many were left out", async () => {
  const clock = createManualClock();
  const lines: unknown[] = [];
  const report = reportHeld({ clock, logger: { log: (level, message, fields) => lines.push({ level, message, ...fields }) } });
  const held = { operation: "file_edit", ms: 240, tenant: "acme", callId: "call_1" };
  report(held);
  report({ ...held, ms: 300 });
  report({ operation: "POST /api/tools", ms: 210 });
  report(held);
  await clock.advance(60_000);
  report({ ...held, ms: 500 });
  expect(lines).toEqual([
    { level: "warn", message: "The event loop was held by file_edit, and every other request waited.", ...held },
    expect.objectContaining({ operation: "POST /api/tools", ms: 210 }),
    expect.objectContaining({ operation: "file_edit", ms: 500, leftOut: 2 }),
  ]);
});
