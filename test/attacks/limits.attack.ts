/** R-SB-11: limits hold although the policy names none, for all that runs in a workspace at the same time. */
import { readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { totalmem } from "node:os";
import { join } from "node:path";
import type { ProcessReport, ResourceLimits, SandboxDriver } from "@toolwright/engine/ports";
import { createBwrapDriver, createHostDriver, createNsjailDriver } from "@toolwright/sandbox";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { findSandboxes, onDisk, type Sandbox } from "./support/sandboxes.ts";

type Make = (options: { readonly defaultLimits?: ResourceLimits }) => SandboxDriver;
type Row = Pick<Sandbox, "name" | "missing" | "makeWorkspace"> & { readonly make: Make };

/** Small enough that a test reaches them at once; that the real ones are as promised is a case of its own. */
const small: ResourceLimits = { memoryMb: 192, processes: 64, fileSizeMb: 1024, openFiles: 1024, writtenMb: 64 };

// What a run writes is counted there.
const found = await findSandboxes({ base: onDisk });
const makers: Readonly<Record<string, readonly (readonly [string, Make])[]>> = {
  bwrap: [
    ["", (options) => createBwrapDriver(options)],
    [", no control groups", (options) => createBwrapDriver({ ...options, controlGroups: "none" })],
  ],
  nsjail: [["", (options) => createNsjailDriver(options)]],
};
const rows: readonly Row[] = [
  ...found.flatMap(({ name, driver, missing, makeWorkspace }) =>
    (makers[driver.name] ?? []).map(([suffix, make]): Row => ({ name: `${name}${suffix}`, missing, makeWorkspace, make })),
  ),
  ...(["detect", "none"] as const).map(
    (controlGroups): Row => ({
      name: `host, control groups: ${controlGroups}`,
      missing: process.platform === "linux" ? undefined : "It is not Linux.",
      makeWorkspace: found[0]!.makeWorkspace,
      make: (options) => createHostDriver({ ...options, controlGroups }),
    }),
  ),
];

/** Processes of this machine that sleep for that number of seconds. */
function countSleepers(seconds: string): number {
  return readdirSync("/proc").filter((name) => {
    try {
      return /^\d+$/.test(name) && readFileSync(`/proc/${name}/cmdline`, "utf8") === `sleep\0${seconds}\0`;
    } catch {
      return false;
    }
  }).length;
}

const kinds = ({ anomalies }: ProcessReport) => anomalies.map(({ kind }) => kind);

/** Control groups that drivers of this process made. */
function groupsHere(): readonly string[] {
  return ["memory", "pids", "unified", "."].flatMap((name) => {
    try {
      return readdirSync(`/sys/fs/cgroup/${name}`).filter((group) => group.startsWith(`toolwright-${process.pid}-`));
    } catch {
      return [];
    }
  });
}

describe.each(rows)("R-SB-11 $name", ({ missing, make, makeWorkspace }) => {
  const attack = test.skipIf(missing !== undefined);
  const driver = make({ defaultLimits: small });
  const workspace = missing === undefined ? makeWorkspace() : "";
  let before: readonly string[] = [];
  beforeAll(() => {
    before = groupsHere();
  });
  afterAll(async () => {
    await driver.close();
    if (workspace) rmSync(workspace, { recursive: true, force: true });
  });

  const start = async (command: string, timeoutMs = 15_000, by = driver) => {
    const network = by.traits.networks[0]!;
    const common = { workspace, workdir: ".", writable: true, env: {}, network, limits: {}, protectedPaths: [], stdin: "closed" } as const;
    const handle = await by.start({ ...common, program: { shell: command }, timeoutMs });
    let out = "";
    handle.onOutput((_stream, chunk) => {
      out += Buffer.from(chunk).toString();
    });
    return { handle, ended: handle.exited.then((report) => ({ report, out })) };
  };
  const run = async (command: string, timeoutMs?: number) => (await start(command, timeoutMs)).ended;

  attack("a script that forks 1,500 times does not have them", async () => {
    const seconds = `8${Math.floor(Math.random() * 1e9)}`;
    const bomb = `for (1..1500) { my $p = fork; defined $p or next; if (!$p) { exec "sleep", "${seconds}" } } sleep 60`;
    const { handle, ended } = await start(`perl -e '${bomb}'`, 60_000);
    const isCounted = handle.posture.limits.processes === "watchdog";
    // What counts them ends the run, when it comes to that; where the system refuses them, nothing does.
    const end = isCounted ? undefined : setTimeout(() => handle.kill("cancelled"), 3000);
    let most = 0;
    const look = setInterval(() => {
      most = Math.max(most, countSleepers(seconds));
    }, 50);
    const { report } = await ended;
    clearInterval(look);
    clearTimeout(end);
    expect(most).toBeLessThanOrEqual(isCounted ? 1000 : 64);
    if (isCounted) expect(kinds(report)).toContain("process_limit");
    expect(countSleepers(seconds)).toBe(0);
  });

  attack("a program that takes more memory than there is for it is ended, with or without a sandbox of its own", async () => {
    const { report } = await run(`perl -e 'my @k; push @k, "x" x (1 << 20) for 1..2000; sleep 60'`);
    expect(kinds(report)).toContain("memory_limit");
  });

  attack("three background runs that take half of the memory each do not have it at the same time", async () => {
    const takes = `perl -e '$k = "x" x (100 << 20); $| = 1; print "has it\\n"; sleep 4'`;
    const runs = await Promise.all([start(takes), start(takes), start(takes)]);
    const ends = await Promise.all(runs.map(({ ended }) => ended));
    expect(ends.filter(({ report }) => report.exit.exitCode === 0).length).toBeLessThan(3);
    expect(ends.flatMap(({ report }) => kinds(report))).toContain("memory_limit");
  });

  attack("a run writes file after file and removes them, and is ended all the same", async () => {
    const { report } = await run("while :; do head -c 8000000 /dev/zero > big; rm big; done");
    expect(kinds(report)).toContain("written_limit");
  });

  attack("children that nobody waits for write on the same account", async () => {
    const writer = `$SIG{CHLD} = "IGNORE"; for (1..200) { if (!fork) { open F, ">", "f$$"; print F "x" x 4000000; close F; unlink "f$$"; select undef, undef, undef, 0.5; exit } select undef, undef, undef, 0.05 } sleep 20`;
    const { report } = await run(`perl -e '${writer}'`, 20_000);
    expect(kinds(report)).toContain("written_limit");
  });

  attack("a file does not grow past its limit, however it is made", async () => {
    const tries =
      "head -c 1 /dev/zero | dd of=a bs=1 seek=1100M; truncate -s 1100M b; fallocate -l 1100M c; perl -e 'open F, \">d\"; truncate F, 1100 << 20'";
    await run(`(${tries}) 2>/dev/null; true`);
    for (const name of readdirSync(workspace)) expect(statSync(join(workspace, name)).size).toBeLessThanOrEqual(1 << 30);
  });

  attack("a process does not open more than 1,024 descriptors, nor raise its limits", async () => {
    const { out } = await run(
      `ulimit -n 4096 2>/dev/null; ulimit -f unlimited 2>/dev/null; perl -e 'open($f[$_], "<", "/dev/null") or print("$_\\n"), exit for 1..3000'; ulimit -n; ulimit -f`,
    );
    const [opened, descriptors, blocks] = out.trim().split("\n").map(Number);
    expect(opened).toBeLessThanOrEqual(1024);
    // As root without a sandbox, a command may raise what root may raise.
    if (driver.traits.isolation !== "none") expect([descriptors, blocks]).toEqual([1024, 1_048_576]);
  });

  attack("nothing of it is left in the machine's control groups", async () => {
    await run("true");
    await driver.close();
    expect(groupsHere().filter((group) => !before.includes(group))).toEqual([]);
  });

  attack("the limits that nobody has to name are the promised ones, or a gap names what is missing", async () => {
    const real = make({});
    const { defaults, gaps = [] } = await real.probe();
    const promised = { memoryMb: Math.min(4096, Math.floor(totalmem() / 2 ** 21)), cpuPercent: 200, processes: 256, fileSizeMb: 1024 };
    expect({ ...promised, openFiles: 1024, writtenMb: 10_240 }).toMatchObject(defaults!);
    expect(Object.keys(defaults!).length + gaps.length).toBe(6);
    const { handle, ended } = await start("true", 10_000, real);
    await ended;
    expect(Object.keys(handle.posture.limits).length).toBe(Object.keys(defaults!).length);
    await real.close();
  });
});
