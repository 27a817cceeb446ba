import { expect, test } from "vitest";
import { type ControlGroups, noControlGroups } from "../process/control-group-detection.ts";
import { chooseLimits, launcherArgv, planLimits, processors } from "./plan-limits.ts";

const mechanisms = { memoryMb: "cgroup", cpuPercent: "affinity", processes: "watchdog", openFiles: "rlimit" };
const defaults = { memoryMb: 100, processes: 10, openFiles: 64, writtenMb: 5 };

test("R-SB-11 what the policy names takes the place of a default, and tighter limits narrow both", () => {
  const chosen = chooseLimits({ limits: { memoryMb: 500 }, tighterLimits: { memoryMb: 400, openFiles: 900 } }, { mechanisms, defaults });
  expect(chosen.limits).toEqual({ memoryMb: 400, processes: 10, openFiles: 64 });
});

test("R-SB-11 a default that the machine cannot give is a gap, one that the policy demands a refusal", () => {
  expect(chooseLimits({ limits: {} }, { mechanisms, defaults }).gaps).toEqual(["Nothing here stops a run that writes more than 5 MB."]);
  for (const demanded of [{ limits: { writtenMb: 1 } }, { limits: {}, tighterLimits: { writtenMb: 1 } }])
    expect(() => chooseLimits(demanded, { mechanisms, defaults })).toThrow(/writtenMb 1, which nothing on this machine/);
});

test("R-SB-11 affinity counts whole processors, and a machine without more needs nothing", () => {
  const cpu = (cpuPercent: number) => chooseLimits({ limits: { cpuPercent } }, { mechanisms, defaults: {} }).posture.cpu;
  expect(cpu(processors * 100)).toBe("machine");
  expect(() => cpu(50)).toThrow(/cpuPercent 50/);
  if (processors > 1) expect(cpu(100)).toBe("affinity");
});

test.skipIf(processors < 2)("R-SB-11 runs of one workspace are held to the same processors", () => {
  const plan = (workspace: string, run: string) =>
    planLimits(run, { workspace, limits: { cpuPercent: 100 } }, { mechanisms, groups: noControlGroups, defaults: {} });
  expect(plan("/a", "run1").processors).toBe(plan("/a", "run2").processors);
  expect(launcherArgv({ ...plan("/a", "run1"), announce: false }).join(" ")).toMatch(/ -- \S*taskset -c \d+$/);
});

test("R-SB-11 a run is in a group of its own inside one of its workspace", () => {
  const names: object[] = [];
  const plan = (given: object) => {
    names.push(given);
    return { run: [], shared: [] };
  };
  const groups: ControlGroups = { ...noControlGroups, plan };
  for (const [run, workspace, memoryMb] of [
    ["1", "/a", 1],
    ["2", "/a", 1],
    ["3", "/b", 1],
    ["4", "/a", 2],
  ] as const)
    planLimits(run, { workspace, limits: { memoryMb } }, { mechanisms, groups, defaults: {} });
  const scopes = names.map((name) => (name as { scope: string }).scope);
  expect(scopes[0]).toBe(scopes[1]);
  expect(new Set(scopes).size).toBe(3);
});

test("R-SB-11 a limit that is lower already is not an error", () => {
  const [, , script] = launcherArgv({ groups: [], limits: { openFiles: 1024 }, announce: false });
  expect(script).toContain('{ ulimit -n 1024 || test "$(ulimit -H -n)" -lt 1024; }');
});
