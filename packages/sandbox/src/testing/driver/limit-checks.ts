import assert from "node:assert/strict";
import { lstat } from "node:fs/promises";
import { join } from "node:path";
import { ToolwrightError } from "@toolwright/engine";
import type { ResourceLimits } from "@toolwright/engine/ports";
import {
  collect,
  countProcesses,
  type DriverCheck,
  type DriverFixture,
  eventually,
  type Finished,
  runToEnd,
  specFor,
  uniqueSleep,
} from "./conformance-run.ts";

/** Runs the check where the driver says that it enforces the limit; elsewhere a refusal or a named mechanism will do, silence not. */
async function withLimit(fixture: DriverFixture, limits: ResourceLimits, check: () => Promise<void>): Promise<void> {
  const [name] = Object.keys(limits) as (keyof ResourceLimits)[];
  const mechanism = (await fixture.driver.probe()).limits[name!];
  // Affinity holds a run to whole processors, and to no share of one.
  if (mechanism !== undefined && mechanism !== "affinity") return check();
  try {
    const handle = await fixture.driver.start(specFor(fixture, "true", { limits }));
    await handle.exited;
    assert.ok(Object.keys(handle.posture.limits).length > 0);
  } catch (error) {
    assert.ok(ToolwrightError.is(error) && error.code === "limit_unenforceable", String(error));
  }
}

const kinds = ({ anomalies }: Finished) => anomalies.map(({ kind }) => kind);

export const limitChecks: readonly DriverCheck[] = [
  {
    name: "R-SB-6 a memory hog is ended and the result says why",
    area: "limits",
    run: (fixture) =>
      withLimit(fixture, { memoryMb: 128 }, async () => {
        const hog = "node -e 'const kept = []; for (;;) kept.push(Buffer.alloc(1 << 20, 1))'";
        const finished = await runToEnd(fixture, hog, { limits: { memoryMb: 128 } });
        assert.notEqual(finished.exit.exitCode, 0);
        assert.deepEqual([finished.exit.reason, kinds(finished)], ["exited", ["memory_limit"]]);
      }),
  },
  {
    name: "R-SB-6 a fork bomb is bounded, said, and gone afterwards",
    area: "limits",
    run: (fixture) =>
      withLimit(fixture, { processes: 30 }, async () => {
        const seconds = uniqueSleep();
        const bomb = `i=0; while [ $i -lt 200 ]; do sleep ${seconds} & i=$((i+1)); done; sleep ${seconds}`;
        const handle = await fixture.driver.start(specFor(fixture, bomb, { limits: { processes: 30 }, timeoutMs: 2000 }));
        let highest = 0;
        handle.onOutput(() => {});
        const watch = setInterval(() => {
          highest = Math.max(highest, countProcesses(seconds));
        }, 10);
        const { anomalies } = await handle.exited;
        clearInterval(watch);
        const most = handle.posture.limits.processes === "watchdog" ? 150 : 30;
        // A watchdog may end the bomb before it is seen here once and says so; a limit of the kernel that nobody counts lets it be seen.
        const said = anomalies.some(({ kind }) => kind === "process_limit");
        assert.ok((said || highest > 5) && highest <= most, `${highest} processes, ${said ? "said" : "not said"}`);
        assert.ok(await eventually(() => countProcesses(seconds) === 0, 1000));
      }),
  },
  {
    name: "R-SB-6 a disk filler is stopped at the file size, and the result says so",
    area: "limits",
    run: (fixture) =>
      withLimit(fixture, { fileSizeMb: 2 }, async () => {
        const finished = await runToEnd(fixture, "head -c 20000000 /dev/zero > big", { limits: { fileSizeMb: 2 } });
        assert.equal((await lstat(join(fixture.workspace, "big"))).size, 2 * 1024 * 1024);
        assert.deepEqual(kinds(finished), ["file_size_limit"]);
      }),
  },
  {
    name: "R-SB-6 open files are limited",
    area: "limits",
    run: (fixture) =>
      withLimit(fixture, { openFiles: 32 }, async () => {
        assert.equal((await runToEnd(fixture, "ulimit -n; ulimit -c", { limits: { openFiles: 32 } })).stdout, "32\n0\n");
      }),
  },
  {
    name: "R-SB-6 the share of a processor is limited",
    area: "limits",
    run: (fixture) =>
      withLimit(fixture, { cpuPercent: 5 }, async () => {
        // Four at once want far more than the share. What a busy machine gives them may still be less: then nothing holds them back.
        const spin = "timeout 2 sh -c 'while :; do :; done' &";
        let found: readonly string[] = [];
        for (let attempt = 0; attempt < 5 && found.length === 0; attempt++) {
          const finished = await runToEnd(fixture, `${spin} ${spin} ${spin} ${spin} wait; times`, { limits: { cpuPercent: 5 } });
          const spent = [...(finished.stdout.split("\n")[1] ?? "").matchAll(/(\d+)m([\d.]+)s/g)];
          assert.equal(spent.length, 2, finished.stdout);
          const seconds = spent.reduce((sum, [, minutes, rest]) => sum + Number(minutes) * 60 + Number(rest), 0);
          assert.ok(seconds < 0.5, `${seconds} s of processor time in 2 s`);
          found = kinds(finished);
        }
        assert.deepEqual(found, ["cpu_limit"]);
      }),
  },
  {
    name: "R-SB-6 the posture names each limit with its mechanism",
    area: "limits",
    async run(fixture) {
      const handle = await fixture.driver.start(specFor(fixture, "true", { limits: { openFiles: 64, fileSizeMb: 5 } }));
      await handle.exited;
      assert.equal(handle.posture.runtime, fixture.driver.name);
      assert.equal(handle.posture.isolation, fixture.driver.traits.isolation);
      for (const name of ["fileSize", "openFiles"]) assert.ok(handle.posture.limits[name], name);
    },
  },
  {
    name: "R-SB-11 a run without limits in the policy has the default ones, or a gap that names what it does not have",
    area: "limits",
    async run(fixture) {
      const handle = await fixture.driver.start(specFor(fixture, "ulimit -n; ulimit -f"));
      const { stdout } = await collect(handle);
      const gaps = handle.posture.gaps.filter((gap) => gap.startsWith("Nothing here "));
      assert.equal(Object.keys(handle.posture.limits).length + gaps.length, 6, JSON.stringify(handle.posture));
      assert.equal(stdout, "1024\n1048576\n");
    },
  },
  {
    name: "R-SB-11 a tighter limit holds, and a looser one of the same kind does not",
    area: "limits",
    async run(fixture) {
      const changes = { limits: {}, tighterLimits: { openFiles: 64, fileSizeMb: 100_000 } };
      assert.equal((await runToEnd(fixture, "ulimit -n; ulimit -f", changes)).stdout, "64\n1048576\n");
      const raised = { limits: { openFiles: 2048 }, tighterLimits: { openFiles: 2000 } };
      assert.equal((await runToEnd(fixture, "ulimit -n", raised)).stdout, "2000\n");
    },
  },
  {
    name: "R-SB-11 runs of one workspace share their processes: several at a time get no more than one",
    area: "limits",
    async run(fixture) {
      const seconds = uniqueSleep();
      const bomb = `read go; i=0; while [ $i -lt 40 ]; do sleep ${seconds} & i=$((i+1)); done 2>/dev/null; sleep ${seconds}`;
      const changes = { limits: { processes: 60 }, stdin: "pipe", timeoutMs: 4000 } as const;
      const handles = await Promise.all(Array.from({ length: 4 }, () => fixture.driver.start(specFor(fixture, bomb, changes))));
      if (handles[0]!.posture.gaps.some((gap) => gap.includes("each container by itself"))) return;
      // Once all are there: one that starts when the others have taken every process is refused.
      await Promise.all(handles.map((handle) => handle.write("go\n")));
      let highest = 0;
      const watch = setInterval(() => {
        highest = Math.max(highest, countProcesses(seconds));
      }, 50);
      const reports = await Promise.all(handles.map(({ exited }) => exited));
      clearInterval(watch);
      if (handles[0]!.posture.limits.processes === "cgroup") assert.ok(highest > 5 && highest <= 60, `${highest} processes`);
      else
        assert.ok(
          reports.some(({ exit, anomalies }) => exit.signal === "SIGKILL" && anomalies.some(({ kind }) => kind === "process_limit")),
        );
    },
  },
];
