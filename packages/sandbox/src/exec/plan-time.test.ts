import { describe, expect, it } from "vitest";
import { planTime, sayCut } from "./run-command.ts";

const limits = { policyMs: 60_000, backgroundMs: 43_200_000 };
const [patient, hurried] = [
  { ms: 45_000, renewable: true },
  { ms: 45_000, renewable: false },
];
const plan = (timeoutMs: number | undefined, patience: typeof patient | undefined, policyMs = limits.policyMs) =>
  planTime({ command: "c", ...(timeoutMs !== undefined && { timeoutMs }) }, patience, { ...limits, policyMs });

describe("the time of a command", () => {
  it("is the policy's for a caller that waits for as long as it takes", () => {
    expect(plan(undefined, undefined)).toEqual({ timeoutMs: 60_000 });
    expect(plan(10_000, undefined)).toEqual({ timeoutMs: 10_000 });
    expect(plan(600_000, undefined)).toEqual({ timeoutMs: 60_000 });
  });

  it("ends before the patience does where policy or caller say so", () => {
    expect(plan(10_000, hurried)).toEqual({ timeoutMs: 10_000 });
    expect(plan(600_000, hurried, 30_000)).toEqual({ timeoutMs: 30_000 });
    expect(plan(45_000, hurried)).toEqual({ timeoutMs: 45_000 });
  });

  it("goes on in the background when the patience ends", () => {
    const handOver = { afterMs: 45_000, elseMs: 60_000 };
    for (const patience of [patient, hurried]) expect(plan(undefined, patience)).toEqual({ timeoutMs: 43_200_000, handOver });
    expect(plan(600_000, hurried)).toEqual({ timeoutMs: 600_000, handOver });
    expect(plan(50_000, hurried)).toEqual({ timeoutMs: 50_000, handOver: { afterMs: 45_000, elseMs: 50_000 } });
  });

  it("is waited for when the caller asked for it, hears of progress, and the policy allows it", () => {
    expect(plan(55_000, patient)).toEqual({ timeoutMs: 55_000 });
    expect(plan(600_000, patient, 900_000)).toEqual({ timeoutMs: 600_000 });
  });

  it("goes on in the background when the caller asked for more than the policy lets it wait", () => {
    expect(plan(600_000, patient)).toEqual({ timeoutMs: 600_000, handOver: { afterMs: 45_000, elseMs: 60_000 } });
    expect(plan(90_000_000, patient)).toMatchObject({ timeoutMs: 43_200_000 });
  });
});

it("says that a timeout was cut, and nothing of one that was not", () => {
  expect(sayCut(600_000, 60_000, "the policy allows")).toEqual([
    { kind: "time_limit", message: "The timeout of 600 s was cut to 60 s, the most that the policy allows." },
  ]);
  for (const asked of [undefined, 60_000, 10]) expect(sayCut(asked, 60_000, "the policy allows")).toEqual([]);
});
