/** R-SB-9: a child gets no descriptor but standard input, output, error and those that the driver declares. */
import { closeSync, existsSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type OtherEnd, runInOtherProcess } from "./support/other-process.ts";
import { findSandboxes } from "./support/sandboxes.ts";

/** Below and above what Node closes on its own, next to each other and far apart. */
const numbers = [3, 4, 9, 15, 16, 17, 100, 250, 1023];
const numberPattern = numbers.join("|");

const host = mkdtempSync(join(tmpdir(), "toolwright-host-"));
const secret = join(host, "secret");
writeFileSync(secret, "canary\n");
const open = [openSync("/", "r"), openSync(host, "r"), openSync(secret, "r+")];
afterAll(() => {
  for (const descriptor of open) closeSync(descriptor);
  rmSync(host, { recursive: true });
});

/** Everything that a program can do with a descriptor it was not given on purpose. */
const command = `
for fd in ${numbers.join(" ")}; do
  ls /proc/self/fd/$fd/ && echo "walked $fd"
  cat /proc/self/fd/$fd /dev/fd/$fd /proc/self/fd/$fd/secret /proc/self/fd/$fd/..${secret}
  echo overwritten > /proc/self/fd/$fd; echo overwritten > /proc/self/fd/$fd/secret; touch /proc/self/fd/$fd/made /proc/self/fd/$fd/..${host}/made
  eval "cat <&$fd"; eval "echo overwritten >&$fd"
done 2>/dev/null
for process in /proc/[0-9]*; do for fd in "$process"/fd/*; do case "$(readlink "$fd")" in /dev/null|/proc/*|pipe:*|socket:*|anon_inode:*|/dev/pts/*|'') ;; *) echo "holds $(readlink "$fd")" ;; esac; done; done 2>/dev/null
echo finished`;

const drivers = (await findSandboxes()).filter(({ name, driver }) => name === driver.name);
const rows = [
  ...drivers,
  { name: "host", missing: undefined as string | undefined, makeWorkspace: () => mkdtempSync(join(tmpdir(), "toolwright-attack-")) },
];

describe.each(rows)("R-SB-9 $name, started with descriptors open in the launching process", ({ name, missing, makeWorkspace }) => {
  const attack = test.skipIf(missing !== undefined);
  let end: OtherEnd;
  beforeAll(async () => {
    if (missing !== undefined) return;
    const descriptors = Object.fromEntries(numbers.map((number, index) => [number, open[index % open.length]!]));
    // The host driver isolates nothing, so its run looks at its own descriptors and not at those of the machine.
    const looks = name === "host" ? command.replace("/proc/[0-9]*", "/proc/self /proc/$$") : command;
    end = await runInOtherProcess({ driver: name, workspace: makeWorkspace(), command: looks, descriptors });
  });

  attack("a command walks none of them", () => {
    expect(end.out).toContain("finished");
    expect(end.out).not.toMatch(/walked/);
  });

  attack("a command reads none of them", () => expect(end.out).not.toMatch(/canary/));

  attack("a command writes through none of them", () => {
    expect(readFileSync(secret, "utf8")).toBe("canary\n");
    expect(existsSync(join(host, "made"))).toBe(false);
  });

  attack("no process of the sandbox holds a file or folder of the host", () => expect(end.out).not.toMatch(/holds \//));
});

test.skipIf(rows[0]?.missing !== undefined)("R-SB-9 the programs that look for a sandbox get none of them either", async () => {
  const looker = join(host, "looker");
  writeFileSync(looker, `#!/bin/sh\nls -l /proc/self/fd > ${host}/seen\nexec /usr/bin/bwrap "$@"\n`, { mode: 0o755 });
  const workspace = mkdtempSync(join(tmpdir(), "toolwright-attack-"));
  const descriptors = Object.fromEntries(numbers.map((number) => [number, open[0]!]));
  await runInOtherProcess({ driver: "bwrap", workspace, command: "true", options: { bwrap: looker, warm: 0 }, descriptors });
  const seen = readFileSync(`${host}/seen`, "utf8");
  expect(seen).toMatch(/ 0 -> /);
  expect(seen).not.toMatch(new RegExp(` (?:${numberPattern}) -> /$`, "m"));
});
