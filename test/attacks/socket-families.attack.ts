/** R-SB-10: socket families by list. Each socket is made and closed; none is connected, bound or listened on. */
import { existsSync, rmSync } from "node:fs";
import type { NetworkAccess } from "@toolwright/engine";
import type { SandboxDriver } from "@toolwright/engine/ports";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { findSandboxes } from "./support/sandboxes.ts";

const listed = ["unix", "inet", "inet6", "netlink"];
const numbersOf = { unix: 1, inet: 2, inet6: 10, netlink: 16 } as const;
const allowed = new Set<number>(Object.values(numbersOf));

/** Perl is part of every Debian; it makes sockets of any family. Each line: what, family, the error's number or "open". */
const makeAll = `
use Socket; use Errno;
for my $family (0..63, 255, 65537, 65576) {
  for my $type (1, 2, 3, 5, 10, 1 | 02000000) {
    for my $protocol (0, 1, 16) {
      print "socket $family ", (socket(my $s, $family, $type, $protocol) ? "open" : $!+0), "\\n";
    }
    print "socketpair $family ", (socketpair(my $a, my $b, $family, $type, 0) ? "open" : $!+0), "\\n";
  }
}
for my $protocol (1..22) { print "netlink $protocol ", (socket(my $s, 16, 3, $protocol) ? "open" : $!+0), "\\n"; }
print "finished\\n";`;

async function makeSockets(driver: SandboxDriver, workspace: string, network: NetworkAccess): Promise<string[]> {
  const handle = await driver.start({
    ...{ program: { argv: ["perl", "-e", makeAll] as [string, ...string[]] }, workspace, workdir: ".", writable: true, env: {}, network },
    ...{ limits: {}, protectedPaths: [], stdin: "closed" as const, timeoutMs: 20_000 },
  });
  let out = "";
  handle.onOutput((_stream, chunk) => {
    out += Buffer.from(chunk).toString();
  });
  await handle.exited;
  return out.trim().split("\n");
}

/** Drivers whose filter is ours; others name their lack of one in the posture. */
const filtering = new Set(["bwrap"]);
const hasPerl = existsSync("/usr/bin/perl");

describe.each(await findSandboxes())("R-SB-10 $name", ({ driver, missing, makeWorkspace }) => {
  const attack = test.skipIf(missing !== undefined || !hasPerl || !filtering.has(driver.name));
  const networks = ["none", "filtered", "host"] as const;
  let workspace: string;
  const seen = new Map<NetworkAccess, string[]>();
  beforeAll(async () => {
    if (missing !== undefined || !hasPerl || !filtering.has(driver.name)) return;
    workspace = makeWorkspace();
    for (const network of networks) seen.set(network, await makeSockets(driver, workspace, network));
  });
  afterAll(async () => {
    await driver.close();
    if (workspace) rmSync(workspace, { recursive: true });
  });

  for (const network of networks) {
    const open = (what: string) =>
      new Set(
        seen
          .get(network)!
          .filter((line) => line.startsWith(`${what} `) && line.endsWith(" open"))
          .map((line) => Number(line.split(" ")[1])),
      );

    attack(`with network ${network}, a program opens no socket but of ${listed.join(", ")}`, () => {
      expect(seen.get(network)!.at(-1)).toBe("finished");
      expect([...open("socket")].filter((family) => !allowed.has(family))).toEqual([]);
      expect(open("socket")).toContain(numbersOf.unix);
      expect(open("socket")).toContain(numbersOf.inet);
    });

    attack(`with network ${network}, a program that asks for AF_VSOCK hears that the machine has none`, () => {
      const answers = seen.get(network)!.filter((line) => /^socket(?:pair)? 40 /.test(line));
      expect(new Set(answers.map((line) => line.split(" ")[2]))).toEqual(new Set(["97"]));
    });

    attack(`with network ${network}, a program makes pairs of unix sockets and no others`, () => {
      expect([...open("socketpair")]).toEqual([numbersOf.unix]);
    });

    attack(`with network ${network}, a program speaks to the kernel's routes by netlink and to nothing else of it`, () => {
      expect([...open("netlink")]).toEqual([]);
      expect(open("socket")).toContain(numbersOf.netlink);
    });
  }

  test.skipIf(missing !== undefined || filtering.has(driver.name))("a driver without our filter says so in the posture", async () => {
    const place = makeWorkspace();
    const handle = await driver.start({
      ...{ program: { argv: ["/bin/true"] }, workspace: place, workdir: ".", writable: true, env: {}, network: "none", limits: {} },
      ...{ protectedPaths: [], stdin: "closed", timeoutMs: 20_000 },
    });
    await handle.exited;
    expect(handle.posture.gaps.join(" ")).toMatch(/famil(?:y|ies) of sockets/);
    rmSync(place, { recursive: true });
  });
});
