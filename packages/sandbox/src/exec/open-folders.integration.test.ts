import { existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { CallSite, Exec } from "@toolwright/engine";
import { afterAll, afterEach, beforeEach, describe, expect, test } from "vitest";
import { createBwrapDriver } from "../drivers/index.ts";
import { createCallSite } from "../testing/call-site.ts";
import { execCapability } from "./index.ts";

const driver = createBwrapDriver({ warm: 0 });
const { available } = await driver.probe();
let base: string;
let [workspace, data, out] = ["", "", ""];
beforeEach(() => {
  base = realpathSync(mkdtempSync(join(tmpdir(), "tw-folders-")));
  [workspace = "", data = "", out = ""] = ["workspace", "data", "out"].map((name) => join(base, name));
  for (const folder of [workspace, data, out]) mkdirSync(folder);
  writeFileSync(join(data, "prices.csv"), "a,1\n");
  writeFileSync(join(data, ".env"), "API_KEY=sk-4f9a8b7c6d5e4f3a\n");
  mkdirSync(join(data, "closed"));
  writeFileSync(join(data, "closed/a.txt"), "closed");
});
afterEach(() => rmSync(base, { recursive: true, force: true }));
afterAll(() => driver.close());

async function run(command: string, more: Partial<CallSite["paths"]> = {}) {
  const roots = [
    { path: data, access: "read" },
    { path: out, access: "write" },
    { path: join(base, "gone"), access: "read" },
  ] as const;
  const site = createCallSite({
    paths: { forbidden: [join(data, "closed")], roots, ...more },
    sandbox: { mode: "bwrap", network: "none" },
  });
  const capability = execCapability({ drivers: [driver], workspaceOf: () => workspace });
  try {
    return { ...(await (capability.open("run", site) as Exec).run({ command })), site };
  } finally {
    await capability.close();
  }
}

describe.skipIf(!available)("a command and the folders that the policy opens", () => {
  test("reads and writes them as they are open, and says so", async () => {
    const { stdout, stderr, posture } = await run(`cat ${data}/prices.csv; echo x > ${out}/a.txt; echo y > ${data}/b.txt`);
    expect(stdout).toBe("a,1\n");
    expect(stderr).toContain("Read-only file system");
    expect([existsSync(join(out, "a.txt")), existsSync(join(data, "b.txt"))]).toEqual([true, false]);
    expect(posture.gaps.join(" ")).toContain(`read and write the folder ${out}`);
    expect(posture.gaps.join(" ")).toContain(`${join(base, "gone")}, which the policy opens, is not there`);
  });

  test("finds neither credential files nor what is forbidden in them, and nothing beside them", async () => {
    writeFileSync(join(base, "beside.txt"), "beside");
    const { stdout } = await run(`cat ${data}/.env; cat ${data}/closed/a.txt; cat ${base}/beside.txt; ls ${data}`);
    expect(stdout).toBe("closed\nprices.csv\n");
  });

  test("has none that is forbidden as a whole", async () => {
    expect((await run(`cat ${data}/prices.csv`, { forbidden: [base] })).exitCode).not.toBe(0);
  });

  test("keeps tokens in the addresses of repositories there out of its output", async () => {
    mkdirSync(join(data, "repo/.git"), { recursive: true });
    writeFileSync(join(data, "repo/.git/HEAD"), "ref: refs/heads/main\n");
    writeFileSync(join(data, "repo/.git/config"), '[remote "origin"]\n\turl = https://ann:tok-4f9a8b7c6d5e4f3a@git.example/a.git\n');
    mkdirSync(join(data, "repo/.git/objects"));
    mkdirSync(join(data, "repo/.git/refs"));
    expect((await run("true")).site.tainted.join(" ")).toContain("tok-4f9a8b7c6d5e4f3a");
  });

  test("leaves git metadata there as it is", async () => {
    mkdirSync(join(out, "repo/.git"), { recursive: true });
    writeFileSync(join(out, "repo/.git/config"), "[core]\n");
    const { exitCode } = await run(`echo '[core]' >> ${out}/repo/.git/config`);
    expect(exitCode).not.toBe(0);
  });

  test("starts nothing where workspaces lie in one", async () => {
    await expect(run("true", { roots: [{ path: base, access: "read" }] })).rejects.toThrow(/workspaces lie in it/);
  });
});
