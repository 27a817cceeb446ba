import { spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Files, ToolwrightError } from "@toolwright/engine";
import { afterEach, beforeEach, expect, test } from "vitest";
import { createCallSite } from "../testing/call-site.ts";
import { bestAnchoring, descriptorAnchoring } from "./anchor.ts";
import { filesCapability } from "./files-capability.ts";

/** 100,000 for a long run. */
const swaps = Number(process.env.TOOLWRIGHT_FUZZ_SWAPS ?? 2_000);
const kills = Number(process.env.TOOLWRIGHT_KILLS ?? 8);

let base: string;
let root: string;
beforeEach(() => {
  base = realpathSync(mkdtempSync(join(tmpdir(), "tw-race-")));
  root = join(base, "work");
  mkdirSync(join(root, "d"), { recursive: true });
  mkdirSync(join(base, "out"));
});
afterEach(() => rmSync(base, { recursive: true, force: true, maxRetries: 5 }));

function startScript(script: string, ...args: string[]) {
  const child = spawn(process.execPath, ["--conditions=@toolwright/source", "--input-type=module", "-e", script, ...args], {
    stdio: ["ignore", "inherit", "inherit"],
  });
  const ended = new Promise<NodeJS.Signals | number | null>((resolve) => child.on("close", (code, signal) => resolve(signal ?? code)));
  return { child, ended };
}

/** Each turn is two swaps: links to outside in the place of a file and of a folder, and the real ones back. */
const swapper = `
  import { renameSync, rmSync, symlinkSync, unlinkSync, writeFileSync } from "node:fs";
  const [root, out, turns] = process.argv.slice(1);
  const quietly = (action) => { try { action(); } catch {} };
  for (let turn = 0; turn < Number(turns); turn += 1) {
    quietly(() => { symlinkSync(out + "/secret.txt", root + "/swap"); renameSync(root + "/swap", root + "/a.txt"); });
    quietly(() => { writeFileSync(root + "/swap", "inside"); renameSync(root + "/swap", root + "/a.txt"); });
    quietly(() => renameSync(root + "/d", root + "/real"));
    quietly(() => symlinkSync(out, root + "/d"));
    quietly(() => unlinkSync(root + "/d"));
    quietly(() => renameSync(root + "/real", root + "/d"));
  }
`;

test.runIf(bestAnchoring === descriptorAnchoring)(
  `R-FS-2 nothing outside is read, written or removed while ${swaps} swaps go on`,
  { timeout: 20_000 + swaps * 3 },
  async () => {
    writeFileSync(join(root, "a.txt"), "inside");
    writeFileSync(join(root, "d/secret.txt"), "inside");
    for (const name of ["secret.txt", "new.txt"]) writeFileSync(join(base, "out", name), "outside");
    const files = filesCapability({ workspaceOf: () => root }).open("write", createCallSite()) as Files;
    const attempts: (() => Promise<unknown>)[] = [
      async () => (await files.readLines("a.txt")).text,
      async () => (await files.readLines("d/secret.txt")).text,
      () => files.write("a.txt", "inside"),
      () => files.write("d/made.txt", "inside"),
      () => files.write("d/secret.txt", "inside"),
      () => files.delete("d/new.txt"),
      () => files.delete("d/made.txt"),
      () => files.list(".", { depth: 2 }).then(({ entries }) => entries.map(({ path }) => path).filter((path) => path === "d/new.txt")),
    ];
    let going = true;
    const { ended } = startScript(swapper, root, join(base, "out"), String(swaps / 2));
    const code = ended.finally(() => {
      going = false;
    });
    const counts = { done: 0, refused: 0 };
    for (let turn = 0; going; turn += 1) {
      try {
        const seen = await attempts[turn % attempts.length]!();
        expect(JSON.stringify(seen) ?? "").not.toMatch(/outside|new\.txt/);
        counts.done += 1;
      } catch (error) {
        if (!ToolwrightError.is(error)) throw error;
        expect(error.message).not.toContain(base);
        counts.refused += 1;
      }
    }
    expect(await code).toBe(0);
    expect(readdirSync(join(base, "out")).sort()).toEqual(["new.txt", "secret.txt"]);
    for (const name of ["secret.txt", "new.txt"]) expect(readFileSync(join(base, "out", name), "utf8")).toBe("outside");
    expect(Math.min(counts.done, counts.refused)).toBeGreaterThan(10);
  },
);

const writer = `
  import { filesCapability } from ${JSON.stringify(new URL("./files-capability.ts", import.meta.url).href)};
  import { createCallSite } from ${JSON.stringify(new URL("../testing/call-site.ts", import.meta.url).href)};
  const files = filesCapability({ workspaceOf: () => process.argv[1] }).open("write", createCallSite());
  for (let turn = 0; ; turn += 1) {
    await files.write("a.txt", (turn % 2 ? "a" : "b").repeat(200_000));
    if (turn === 0) await files.write("started", "");
  }
`;

test(`R-FS-4 a file is old or new, never half, after each of ${kills} kills`, { timeout: 60_000 }, async () => {
  for (let round = 0; round < kills; round += 1) {
    rmSync(join(root, "started"), { force: true });
    const { child, ended } = startScript(writer, root);
    await expect.poll(() => readdirSync(root), { timeout: 20_000, interval: 5 }).toContain("started");
    // Some moment of some write: the rounds spread over the few milliseconds that one takes.
    const until = performance.now() + round * 0.7;
    while (performance.now() < until);
    child.kill("SIGKILL");
    expect(await ended).toBe("SIGKILL");
    expect(readFileSync(join(root, "a.txt"), "utf8")).toMatch(/^(?:a{200000}|b{200000})$/);
  }
});
