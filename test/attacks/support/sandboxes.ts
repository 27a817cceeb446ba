import { chownSync, mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { SandboxDriver } from "@toolwright/engine/ports";
import { createBwrapDriver, createDockerDriver, createNsjailDriver } from "@toolwright/sandbox";

/** `npm test` attacks each sandbox on one kind of workspace owner, but where the owner is the point; `npm run attacks` on all. */
const allOwners = process.env.TOOLWRIGHT_ATTACKS !== "short";
/** Nobody's on a usual machine. */
const otherUser = 12_345;
const isRoot = process.getuid?.() === 0;

export interface Sandbox {
  readonly name: string;
  readonly driver: SandboxDriver;
  /** Why it cannot be attacked on this machine; undefined when it can. */
  readonly missing: string | undefined;
  /** A new workspace folder of the user that this row is about. */
  makeWorkspace(): string;
}

/** A folder on a disk, as an installation and what people work in are; the temporary folder of the tests may lie in memory. */
export const onDisk = "/var/tmp";

interface Wanted {
  readonly owners?: boolean;
  /** Where workspaces are made. */
  readonly base?: string;
}

/** Every sandbox driver, by each kind of workspace owner that it treats differently. */
export async function findSandboxes({ owners = allOwners, base = tmpdir() }: Wanted = {}): Promise<readonly Sandbox[]> {
  const drivers = [createBwrapDriver(), createNsjailDriver(), createDockerDriver()];
  const rows = await Promise.all(
    drivers.map(async (driver) => {
      const probe = await driver.probe();
      return { driver, missing: probe.available ? undefined : (probe.detail ?? "It is not available.") };
    }),
  );
  return rows.flatMap(({ driver, missing }) => [
    { name: nameOf(driver.name, missing), driver, missing, makeWorkspace: () => makeFolder(base) },
    ...(isRoot && owners
      ? [
          {
            name: nameOf(`${driver.name}, workspace of another user`, missing),
            driver,
            missing,
            makeWorkspace: () => makeFolder(base, otherUser),
          },
        ]
      : []),
  ]);
}

/** A skipped row tells why in its name. */
const nameOf = (name: string, missing: string | undefined) => (missing === undefined ? name : `${name} (skipped: ${missing})`);

function makeFolder(base: string, owner?: number): string {
  const folder = mkdtempSync(join(base, "toolwright-attack-"));
  if (owner !== undefined) chownSync(folder, owner, owner);
  return folder;
}
