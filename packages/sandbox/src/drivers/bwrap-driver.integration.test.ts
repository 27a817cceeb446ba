import { execFile } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { collect, countProcesses, type DriverFixture, eventually, runToEnd, specFor } from "../testing/driver/conformance-run.ts";
import { localFixture } from "../testing/driver/local-fixture.ts";
import { type BwrapDriverOptions, createBwrapDriver, findTools } from "./bwrap.ts";

const usable = "bwrap" in findTools(undefined);

test("R-SB-3 without bubblewrap nothing runs, and the probe says how to get it", async () => {
  const driver = createBwrapDriver({ bwrap: "/nonexistent/bwrap" });
  expect(await driver.probe()).toMatchObject({ available: false, remedy: "apt-get install bubblewrap" });
  const spec = specFor({ driver, workspace: tmpdir() }, "true");
  await expect(driver.start(spec)).rejects.toMatchObject({ code: "sandbox_unavailable" });
  await driver.close();
});

describe.runIf(usable)("bwrap driver", () => {
  let fixture: DriverFixture;
  const use = async (options: BwrapDriverOptions) => {
    await fixture.cleanup();
    fixture = await localFixture(() => createBwrapDriver(options));
  };
  /** Waiting sandboxes of this test: their command lines name its workspace. */
  const sandboxes = () => countProcesses(fixture.workspace);
  beforeEach(async () => {
    fixture = await localFixture(() => createBwrapDriver());
  });
  afterEach(() => fixture.cleanup());

  test("a waiting sandbox is used once: nothing of a run is there for the next", async () => {
    for (let turn = 0; turn < 4; turn++) {
      const { stdout } = await runToEnd(
        fixture,
        "ls /tmp/t /tmp/home/h /dev/shm/s; echo leak=$LEAK; export LEAK=1; touch /tmp/t /tmp/home/h /dev/shm/s",
      );
      expect(stdout).toBe("leak=\n");
      expect(await eventually(() => sandboxes() > 0, 5000)).toBe(true);
    }
  });

  test("a waiting sandbox that nobody takes is ended", async () => {
    await use({ warmIdleMs: 2000 });
    await runToEnd(fixture, "true");
    expect(await eventually(() => sandboxes() > 0, 5000)).toBe(true);
    expect(await eventually(() => sandboxes() === 0, 15_000)).toBe(true);
  });

  test("a waiting sandbox is not taken for another policy", async () => {
    expect((await runToEnd(fixture, "touch made && echo made")).stdout).toBe("made\n");
    expect(await eventually(() => sandboxes() > 0, 5000)).toBe(true);
    expect((await runToEnd(fixture, "touch other || echo refused", { writable: false })).stdout).toBe("refused\n");
    expect((await runToEnd(fixture, "ulimit -n", { limits: { openFiles: 50 } })).stdout).toBe("50\n");
  });

  test("a killed system call is said in the result", async () => {
    // bpf(2); the shell's own child dies of SIGSYS.
    const { exit, anomalies } = await runToEnd(fixture, ["perl", "-e", `syscall(${process.arch === "arm64" ? 280 : 321}, 0, 0, 0)`]);
    expect(exit.signal).toBe("SIGSYS");
    expect(anomalies.map(({ kind }) => kind)).toEqual(["seccomp"]);
  });

  test("network host is the host's, and the posture says so", async () => {
    const handle = await fixture.driver.start(
      specFor(fixture, "ls /sys/class/net 2>/dev/null; cat /proc/net/dev | wc -l", { network: "host" }),
    );
    expect(handle.posture.network).toBe("host");
    expect(handle.posture.gaps.join(" ")).toMatch(/host's network/);
    expect((await collect(handle)).exit.exitCode).toBe(0);
  });

  test("a server that has no run does not stay up for its waiting sandboxes, and leaves none", async () => {
    const workspace = await mkdtemp(join(tmpdir(), "toolwright-ws-"));
    const script = `
      import { createBwrapDriver } from ${JSON.stringify(new URL("./index.ts", import.meta.url).href)};
      const driver = createBwrapDriver();
      const handle = await driver.start({ program: { shell: "echo ran" }, workspace: ${JSON.stringify(workspace)}, workdir: ".", writable: true,
        env: {}, network: "none", limits: {}, protectedPaths: [], stdin: "closed", timeoutMs: 10000 });
      handle.onOutput((_stream, chunk) => process.stdout.write(chunk));
      await handle.exited;
    `;
    const argv = ["--conditions=@toolwright/source", "--input-type=module-typescript", "-e", script];
    const { stdout } = await promisify(execFile)(process.execPath, argv, { timeout: 15_000 });
    expect(stdout).toBe("ran\n");
    expect(await eventually(() => countProcesses(workspace) === 0, 2000)).toBe(true);
    await rm(workspace, { recursive: true });
  });
});
