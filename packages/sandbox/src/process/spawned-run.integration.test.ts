import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { LaunchRequest } from "./launch-request.ts";
import { SpawnedRun } from "./spawned-run.ts";

/** Reads its command at file descriptor 3, and says whether one was there before it announced itself. */
const waiting = `read -t 0.2 early <&3 && echo "early: $early"; printf r >&3; read command <&3; echo "then: $command"`;

const request: LaunchRequest = {
  argv: ["bash", "--norc", "-c", waiting],
  env: { PATH: process.env.PATH ?? "" },
  cwd: "/",
  readiness: "announced",
  preloaded: [],
  groups: [],
  leaderOwnsTree: false,
  marker: "TOOLWRIGHT_TEST_RUN=early",
  scope: { name: "early", groups: [], processes: 0, launcherProcesses: 0 },
  watch: {},
  awaitsCommand: true,
  placeholders: { workspace: "/", entries: [] },
};

test("a command that comes before the run is ready reaches it afterwards: nothing that it does is missed", async () => {
  let output = "";
  const seen: string[] = [];
  const run = new SpawnedRun(request, {
    ready: () => seen.push("ready"),
    output: (_stream, chunk) => {
      output += chunk.toString();
    },
    inputTaken: () => {},
    ended: ({ kind, exitCode }) => seen.push(`${kind} ${exitCode}`),
  });
  run.control(Buffer.from("ls\n"));
  await run.ended;
  expect(output).toBe("then: ls\n");
  expect(seen).toEqual(["ready", "exited 0"]);
});

test.runIf(process.platform === "linux")(
  "a run has ended when the last process of its pid namespace has, not when its leader has",
  async () => {
    const folder = mkdtempSync(join(tmpdir(), "toolwright-run-"));
    const last = join(folder, "last");
    const inside = `printf r >&3; exec 0<&- 1>&- 2>&- 3>&-; sleep 0.5; : > ${last}`;
    const leader = `unshare --user --map-root-user --pid --fork bash -c '${inside}' & read command <&3`;
    const ends: boolean[] = [];
    const run = new SpawnedRun(
      { ...request, argv: ["bash", "--norc", "-c", leader], leaderOwnsTree: true },
      { ready: () => {}, output: () => {}, inputTaken: () => {}, ended: () => ends.push(existsSync(last)) },
    );
    run.control(Buffer.from("go\n"));
    await run.ended;
    rmSync(folder, { recursive: true });
    expect(ends).toEqual([true]);
  },
);
