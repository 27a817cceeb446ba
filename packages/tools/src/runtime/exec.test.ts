import type { Exec } from "@toolwright/engine";
import type { CommandSpec, Patience, ProcessOutput } from "@toolwright/engine/ports";
import { describe, expect, it } from "vitest";
import exec from "./exec.ts";
import processRead from "./process-read.ts";

const posture = { runtime: "test", isolation: "none", network: "none", limits: {}, gaps: [] } as const;
const ended = { exitCode: 0, signal: null, reason: "exited", durationMs: 5, stdout: "out\n", stderr: "" } as const;

/** Commands that outlast any patience, and what was asked of them. */
function scripted() {
  const asked: unknown[] = [];
  const info = { id: "proc_1", command: "c", state: "running", startedAt: 0, posture } as const;
  const running: ProcessOutput = { text: "begun\n", cursor: 6, missed: 0, info };
  const handle = {
    run: async (spec: CommandSpec) => {
      asked.push(["run", spec.timeoutMs]);
      return { ...ended, truncations: [], artifacts: [], anomalies: [], posture };
    },
    runWithin: async (spec: CommandSpec, patience: Patience) => {
      asked.push(["runWithin", spec.timeoutMs, patience]);
      return running;
    },
    read: async (_: string, options: { readonly waitMs?: number }) => {
      asked.push(["read", options.waitMs]);
      return running;
    },
  };
  return { asked, exec: handle as unknown as Exec };
}
const patience = { ms: 45_000, renewable: true };

describe("exec", () => {
  it("waits for the end where its caller does", async () => {
    const { asked, exec: handle } = scripted();
    const result = await exec.run({ command: "c", timeout: 90 }, { exec: handle, patience: undefined, note: () => {} } as never);
    expect(result).toMatchObject({ exit: { exitCode: 0 } });
    expect(result).not.toHaveProperty("processId");
    expect(asked).toEqual([["run", 90_000]]);
  });

  it("gives what still runs a handle, and says how to go on", async () => {
    const { asked, exec: handle } = scripted();
    const notes: string[] = [];
    const result = await exec.run({ command: "c", timeout: 90 }, {
      exec: handle,
      patience,
      note: (text: string) => notes.push(text),
    } as never);
    expect(result).toMatchObject({ exit: null, stdout: "begun\n", processId: "proc_1", cursor: 6 });
    expect(notes).toEqual([expect.stringMatching(/still ran after 45 s .*proc_1.*process_read.*process_stop/)]);
    expect(asked).toEqual([["runWithin", 90_000, patience]]);
  });

  it("says the most that the policy allows", () => {
    const sandbox = {
      mode: "auto",
      network: "none",
      unavailable: "refuse",
      git: "sealed",
      limits: {},
      timeoutMs: 90_000,
      maxOutputBytes: 1,
    } as const;
    expect(exec.policyNote?.({ sandbox })).toMatch(/at most 90 s/);
  });
});

describe("process_read", () => {
  it.each([
    [60, patience, 45_000],
    [30, patience, 30_000],
    [60, undefined, 60_000],
    [undefined, patience, 0],
  ])("waits %s s for a caller with patience %o", async (wait, patient, waitMs) => {
    const { asked, exec: handle } = scripted();
    await processRead.run({ id: "proc_1", wait }, { exec: handle, patience: patient } as never);
    expect(asked).toEqual([["read", waitMs]]);
  });
});
