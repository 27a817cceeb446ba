import type { SandboxRules } from "@toolwright/engine/ports";
import { expect, test } from "vitest";
import { describeAmounts, limitsInForce } from "./limits-in-force.ts";
import type { ProbedDriver } from "./machine-facts.ts";

const rules: SandboxRules = {
  mode: "auto",
  network: "none",
  unavailable: "refuse",
  git: "sealed",
  limits: {},
  timeoutMs: 1,
  maxOutputBytes: 1,
};
const gap = "Nothing here holds a run to 2 processors.";
const probed = {
  probe: { available: true, detail: "", limits: {}, defaults: { memoryMb: 4096, processes: 256 }, gaps: [gap] },
} as unknown as ProbedDriver;

test("R-SB-11 the default limits hold, and what is missing of them is said", () => {
  expect(limitsInForce(probed, rules)).toEqual({ limits: { memoryMb: 4096, processes: 256 }, gaps: [gap] });
});

test("R-SB-11 the highest tier of a policy replaces a default, a lower one only narrows it", () => {
  expect(limitsInForce(probed, { ...rules, limits: { memoryMb: 9000 } }).limits).toEqual({ memoryMb: 9000, processes: 256 });
  expect(limitsInForce(probed, { ...rules, tighterLimits: { memoryMb: 9000, processes: 9 } }).limits).toEqual({
    memoryMb: 4096,
    processes: 9,
  });
});

test("without a driver there are the limits of the policy", () => {
  expect(limitsInForce(undefined, { ...rules, limits: { openFiles: 9 } })).toEqual({ limits: { openFiles: 9 }, gaps: [] });
});

test("limits are told in the units of people", () => {
  expect(describeAmounts({ writtenMb: 10_240, memoryMb: 1536, cpuPercent: 200, processes: 256 })).toBe(
    "1536 MB of memory, 2 cores, 256 processes, 10 GB written",
  );
  expect(describeAmounts({ cpuPercent: 150 })).toBe("150 % of a core");
  expect(describeAmounts({})).toBe("");
});
