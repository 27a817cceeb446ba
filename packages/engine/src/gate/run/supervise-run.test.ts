import { describe, expect, it } from "vitest";
import { createManualClock } from "../../testing/manual-clock.ts";
import { RunSupervisor } from "./supervise-run.ts";

const never = () => new Promise<never>(() => {});

function supervise(limits: { timeoutMs?: number; idleMs?: number } = {}) {
  const clock = createManualClock();
  const supervisor = new RunSupervisor(clock, { timeoutMs: limits.timeoutMs ?? 1000, idleMs: limits.idleMs });
  return { clock, supervisor };
}

describe("supervision of a run", () => {
  it("gives what a run returns, at once or later", async () => {
    expect(await supervise().supervisor.run(() => 1, undefined)).toEqual({ kind: "returned", value: 1 });
    expect(await supervise().supervisor.run(async () => 2, undefined)).toEqual({ kind: "returned", value: 2 });
  });

  it("gives what a run throws, at once or later", async () => {
    const error = new Error("no");
    const throwing = () => {
      throw error;
    };
    expect(await supervise().supervisor.run(throwing, undefined)).toEqual({ kind: "threw", error });
    expect(await supervise().supervisor.run(() => Promise.reject(error), undefined)).toEqual({ kind: "threw", error });
  });

  it("aborts the signal at the total time and waits for the run to clean up", async () => {
    const { clock, supervisor } = supervise();
    const { signal } = supervisor;
    const outcome = supervisor.run(
      () => new Promise((resolve) => signal.addEventListener("abort", () => resolve("cleaned up"))),
      undefined,
    );
    await clock.advance(999);
    expect(signal.aborted).toBe(false);
    await clock.advance(1);
    expect(signal.aborted).toBe(true);
    expect(await outcome).toEqual({ kind: "stopped", reason: "timeout", ignoredSignal: false });
  });

  it("leaves a run behind that ignores its signal", async () => {
    const { clock, supervisor } = supervise();
    const outcome = supervisor.run(never, undefined);
    await clock.advance(1000);
    await clock.advance(5000);
    expect(await outcome).toEqual({ kind: "stopped", reason: "timeout", ignoredSignal: true });
  });

  it("restarts the idle time, but not the total time, at each sign of life", async () => {
    const { clock, supervisor } = supervise({ timeoutMs: 1000, idleMs: 100 });
    const outcome = supervisor.run(never, undefined);
    for (let at = 0; at < 9; at += 1) {
      await clock.advance(90);
      supervisor.alive();
    }
    expect(supervisor.signal.aborted).toBe(false);
    await clock.advance(100);
    expect(supervisor.signal.aborted).toBe(true);
    await clock.advance(5000);
    expect(await outcome).toMatchObject({ reason: "idle_timeout" });
  });

  it("stops when the caller's signal aborts while the run starts", async () => {
    const { supervisor } = supervise();
    const { signal } = supervisor;
    const caller = new AbortController();
    const outcome = supervisor.run(() => {
      caller.abort();
      return new Promise((resolve) => signal.addEventListener("abort", resolve));
    }, caller.signal);
    expect(await outcome).toEqual({ kind: "stopped", reason: "cancelled", ignoredSignal: false });
  });

  it("stops when the caller's signal aborts, and does not start when it was aborted before", async () => {
    const { clock, supervisor } = supervise();
    const caller = new AbortController();
    const outcome = supervisor.run(never, caller.signal);
    caller.abort();
    await clock.advance(5000);
    expect(await outcome).toMatchObject({ kind: "stopped", reason: "cancelled" });
    let started = false;
    const start = () => {
      started = true;
    };
    expect(await supervise().supervisor.run(start, caller.signal)).toMatchObject({ kind: "stopped", reason: "cancelled" });
    expect(started).toBe(false);
  });
});
