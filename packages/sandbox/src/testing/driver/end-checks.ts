import assert from "node:assert/strict";
import {
  countProcesses,
  type DriverCheck,
  type DriverFixture,
  eventually,
  runToEnd,
  specFor,
  uniqueSleep,
  waitForOutput,
} from "./conformance-run.ts";

/** A tree that tries to stay: in a new session, forked twice, deaf to hang-ups, without environment, deaf to SIGTERM. */
const clingingTree = (seconds: string) =>
  [
    `setsid sleep ${seconds} &`,
    `(setsid sh -c 'sleep ${seconds} & sleep ${seconds} &' &)`,
    `nohup sleep ${seconds} >/dev/null 2>&1 &`,
    `(trap '' TERM INT HUP; sleep ${seconds}; sleep ${seconds}) &`,
    "echo started;",
    `sleep ${seconds}`,
  ].join("\n");

async function startClinging(fixture: DriverFixture, changes: Parameters<typeof specFor>[2] = {}) {
  const seconds = uniqueSleep();
  const handle = await fixture.driver.start(specFor(fixture, clingingTree(seconds), changes));
  await waitForOutput(handle, "started");
  assert.ok(await eventually(() => countProcesses(seconds) >= 6, 5000), "the tree is up");
  return { handle, isGone: () => eventually(() => countProcesses(seconds) === 0, 1000) };
}

export const endChecks: readonly DriverCheck[] = [
  ...(
    [
      ["timeout", { timeoutMs: 3000 }],
      ["idle_timeout", { idleTimeoutMs: 2000 }],
    ] as const
  ).map(
    ([reason, changes]): DriverCheck => ({
      name: `R-EX-10 ${reason} ends the whole tree: setsid, double fork, nohup`,
      area: "end",
      async run(fixture) {
        const { handle, isGone } = await startClinging(fixture, changes);
        assert.equal((await handle.exited).exit.reason, reason);
        assert.ok(await isGone());
      },
    }),
  ),
  ...(["cancelled", "stopped"] as const).map(
    (reason): DriverCheck => ({
      name: `R-EX-10 ${reason} ends the whole tree: setsid, double fork, nohup`,
      area: "end",
      async run(fixture) {
        const { handle, isGone } = await startClinging(fixture);
        handle.kill(reason);
        assert.equal((await handle.exited).exit.reason, reason);
        assert.ok(await isGone());
      },
    }),
  ),
  {
    name: "R-EX-10 closing the driver ends everything that still runs",
    area: "end",
    closesDriver: true,
    async run(fixture) {
      const { handle, isGone } = await startClinging(fixture);
      await fixture.driver.close();
      await handle.exited;
      assert.ok(await isGone());
    },
  },
  {
    name: "R-EX-10 the end of the command is the end of what it left behind, and of the wait",
    area: "end",
    async run(fixture) {
      const seconds = uniqueSleep();
      const { stdout, exit, anomalies } = await runToEnd(fixture, `sleep ${seconds} & setsid sleep ${seconds} & echo done`);
      assert.deepEqual([stdout, exit.exitCode, exit.reason], ["done\n", 0, "exited"]);
      assert.ok(exit.durationMs < 10_000);
      assert.ok(await eventually(() => countProcesses(seconds) === 0, 1000));
      if (fixture.driver.traits.isolation === "none")
        assert.deepEqual(
          anomalies.map(({ kind }) => kind),
          ["leftover_processes"],
        );
    },
  },
  {
    name: "R-EX-10 stop asks first: the program may clean up",
    area: "end",
    async run(fixture) {
      const handle = await fixture.driver.start(
        specFor(fixture, "trap 'echo cleaned; exit 4' TERM; echo ready; while :; do sleep 0.05; done"),
      );
      let seen = "";
      const ready = Promise.withResolvers<void>();
      handle.onOutput((stream, chunk) => {
        if (stream === "stdout") seen += Buffer.from(chunk).toString();
        if (seen.includes("ready")) ready.resolve();
      });
      await ready.promise;
      handle.kill("stopped");
      const { exit } = await handle.exited;
      assert.deepEqual([seen, exit.reason, exit.exitCode], ["ready\ncleaned\n", "stopped", 4]);
    },
  },
  {
    name: "output restarts the idle limit",
    area: "end",
    async run(fixture) {
      const { exit } = await runToEnd(fixture, "for i in 1 2 3 4 5 6 7 8; do echo $i; sleep 0.3; done", { idleTimeoutMs: 1500 });
      assert.equal(exit.reason, "exited");
    },
  },
  {
    name: "R-EX-10 a killed supervisor ends its runs as supervisor_lost, leaves nothing, and is replaced",
    area: "end",
    async run(fixture) {
      const { handle, isGone } = await startClinging(fixture);
      const supervisor = fixture.supervisor?.();
      if (supervisor === undefined) return;
      process.kill(supervisor, "SIGKILL");
      const { exit } = await handle.exited;
      assert.equal(exit.reason, "supervisor_lost");
      assert.ok(await isGone());
      assert.equal((await runToEnd(fixture, "echo again")).stdout, "again\n");
    },
  },
];
