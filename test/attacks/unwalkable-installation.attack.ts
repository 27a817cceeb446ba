/** R-SB-13: a sandbox runs from an installation, and on a workspace, that the owner of the workspace cannot walk to. */
import { spawnSync } from "node:child_process";
import {
  chownSync,
  copyFileSync,
  existsSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { runInOtherProcess } from "./support/other-process.ts";
import { findSandboxes, onDisk } from "./support/sandboxes.ts";

const owner = 12_345;
const isRoot = process.getuid?.() === 0;
const closed = mkdtempSync(join(onDisk, "toolwright-closed-"));
afterAll(() => rmSync(closed, { recursive: true, force: true }));

function makeFolder(name: string, uid: number, mode = 0o755): string {
  const folder = join(closed, name);
  mkdirSync(folder, { recursive: true });
  chownSync(folder, uid, uid);
  if (mode !== 0o755) spawnSync("chmod", [mode.toString(8), folder]);
  return folder;
}

/** The Node of this test, in a folder that root alone can enter. */
function installNode(): string {
  const folder = join(closed, "installation/node_modules/node/bin");
  mkdirSync(folder, { recursive: true });
  const node = join(folder, "node");
  if (existsSync(node)) return node;
  try {
    linkSync(process.execPath, node);
  } catch {
    copyFileSync(process.execPath, node);
  }
  return node;
}

const drivers = (await findSandboxes()).filter(({ name, driver }) => name === driver.name);

describe.each(drivers)("R-SB-13 $name, as root, from a folder of mode 0700", ({ name, missing }) => {
  const able = isRoot && missing === undefined && name !== "docker";
  const attack = test.skipIf(!able);

  attack("a workspace of another user finds the Node of the installation", async () => {
    const node = installNode();
    const workspace = mkdtempSync(join(tmpdir(), "toolwright-attack-"));
    chownSync(workspace, owner, owner);
    const { out } = await runInOtherProcess({ driver: name, workspace, command: "id -u; node -p process.execPath", launcher: [node] });
    expect(out).toBe(`${owner}\n${node}\n`);
    rmSync(workspace, { recursive: true });
  });

  attack("a workspace of another user below the folder can be written, and what is protected in it cannot", async () => {
    const workspace = makeFolder("below/workspace", owner);
    mkdirSync(join(workspace, ".git"));
    writeFileSync(join(workspace, ".git/config"), "good\n");
    const command = "echo made > made; echo evil > .git/config; mkdir -p .git/hooks; touch .git/hooks/x; cat made; pwd";
    const { out } = await runInOtherProcess({ driver: name, workspace, command, spec: { protectedPaths: [".git/config", ".git/hooks"] } });
    expect(out).toContain(`made\n${workspace}\n`);
    expect(readFileSync(join(workspace, ".git/config"), "utf8")).toBe("good\n");
    expect(readdirSync(join(workspace, ".git"))).toEqual(["config"]);
  });

  attack("a filtered network finds its way out when the folder for temporary files is closed, too, whatever leads to it", async () => {
    const temporary = makeFolder("temporary", 0, 0o700);
    const workspace = makeFolder("with-network", owner);
    for (const relay of ["socat", "node"]) {
      const { out } = await runInOtherProcess({
        ...{ driver: name, workspace, command: "cat /proc/net/tcp | grep -c 0C38; ls -A", options: { egress: { relay } } },
        ...{ spec: { network: "filtered" }, launcher: [installNode()], env: { TMPDIR: temporary } },
      });
      expect(out).toBe("1\n");
    }
    expect(readdirSync(temporary)).toEqual([]);
  });

  attack("a workspace of root's in a closed folder of another user runs", async () => {
    makeFolder("somebody", owner, 0o700);
    const workspace = makeFolder("somebody/of-root", 0);
    const { out } = await runInOtherProcess({ driver: name, workspace, command: "echo x > x && cat x" });
    expect(out).toBe("x\n");
  });

  attack("a folder that is shown beside the workspace is shown, and nothing else of its closed parent", async () => {
    const shown = makeFolder("beside/shown", 0);
    writeFileSync(join(closed, "beside/secret"), "canary");
    writeFileSync(join(shown, "file"), "shown\n");
    const workspace = makeFolder("beside/workspace", owner);
    const command = `cat ${shown}/file; touch ${shown}/new; cat ${closed}/beside/secret /mnt/*/secret /mnt/0/../secret; ls /mnt ${closed}/beside`;
    const { out } = await runInOtherProcess({ driver: name, workspace, command, options: { readable: [shown] } });
    expect(out).toContain("shown\n");
    expect(out).not.toContain("canary");
    expect(readdirSync(shown)).toEqual(["file"]);
  });

  attack("the host has no mount more afterwards", async () => {
    const before = readFileSync("/proc/self/mountinfo", "utf8").split("\n").length;
    const workspace = makeFolder("mounts", owner);
    expect((await runInOtherProcess({ driver: name, workspace, command: "echo ran" })).out).toBe("ran\n");
    expect(readFileSync("/proc/self/mountinfo", "utf8").split("\n").length).toBe(before);
  });
});

describe("R-SB-13 what a sandbox program says is for the operator", () => {
  const broken = join(closed, "broken-bwrap");
  mkdirSync(closed, { recursive: true });
  const canary = "bwrap: Can't find source path /srv/secret-place: Permission denied";
  writeFileSync(broken, `#!/bin/sh\nif [ "$1" = --version ]; then echo bubblewrap 0.9.0; exit; fi\necho "${canary}" >&2; exit 1\n`, {
    mode: 0o755,
  });

  test("a caller gets one sentence of ours, and the log what was said", async () => {
    const workspace = mkdtempSync(join(tmpdir(), "toolwright-attack-"));
    const { out, err } = await runInOtherProcess({ driver: "bwrap", workspace, command: "true", options: { bwrap: broken } });
    expect(out).toMatch(/^spawn_failed: The command was not started: bwrap could not be started\..*doctor/);
    expect(out).not.toMatch(/secret-place|Permission denied|find source/);
    expect(err).toContain("secret-place");
    rmSync(workspace, { recursive: true });
  });
});
