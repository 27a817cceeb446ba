import { spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Files } from "@toolwright/engine";
import type { FileChange } from "@toolwright/engine/ports";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { createCallSite } from "../testing/call-site.ts";
import { filesCapability } from "./files-capability.ts";
import type { FileStep } from "./workspace.ts";

let root: string;
beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), "tw-change-")));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

const open = (onStep: (step: FileStep) => void = () => {}, site: Parameters<typeof createCallSite>[0] = {}) =>
  filesCapability({ workspaceOf: () => root, onStep }).open("write", createCallSite(site)) as Files;

/** Four files that are there before: one is updated, one moved, one deleted, one comes. */
const before = { "a.txt": "old a", "b.txt": "old b", "c.txt": "old c" };
const after = { "a.txt": "new a", "new/b.txt": "new b", "d.txt": "new d" };

async function prepare(): Promise<readonly FileChange[]> {
  for (const [name, text] of Object.entries(before)) writeFileSync(join(root, name), text, { mode: 0o640 });
  mkdirSync(join(root, "new"), { recursive: true });
  const versions = await Promise.all(Object.keys(before).map(async (name) => (await open().readLines(name)).version));
  return [
    { kind: "update", path: "a.txt", content: "new a", ifVersion: versions[0]! },
    { kind: "update", path: "b.txt", content: "new b", ifVersion: versions[1]!, moveTo: "new/b.txt" },
    { kind: "delete", path: "c.txt", ifVersion: versions[2]! },
    { kind: "add", path: "d.txt", content: "new d" },
  ];
}

/** All files of the workspace with their texts; what was left of temporary ones too, under one name. */
const listFiles = () =>
  Object.fromEntries(
    readdirSync(root, { recursive: true, encoding: "utf8" })
      .filter((name) => statSync(join(root, name)).isFile())
      .map((name) => [name, readFileSync(join(root, name), "utf8")]),
  );
const renamings = (limit: number, strike: () => void) => {
  let count = 0;
  return (step: FileStep) => {
    if (step === "renaming" && ++count === limit) strike();
  };
};

test("several files change together, each with its mode and version", async () => {
  const changes = await prepare();
  const versions = await open().change([...changes, { kind: "add", path: "run.sh", content: "x", executable: true }]);
  expect(listFiles()).toEqual({ ...after, "run.sh": "x" });
  expect(versions).toEqual([
    ...["a.txt", "new/b.txt"].map(() => expect.stringMatching(/^[0-9a-f]{64}$/)),
    undefined,
    expect.any(String),
    expect.any(String),
  ]);
  expect(versions[0]).toBe((await open().readLines("a.txt")).version);
  expect([statSync(join(root, "a.txt")).mode & 0o777, statSync(join(root, "new/b.txt")).mode & 0o777]).toEqual([0o640, 0o640]);
  expect(statSync(join(root, "run.sh")).mode & 0o111).not.toBe(0);
});

describe("R-FS-4 all or none", () => {
  // Two new contents, one moved content, then two removals.
  test.each([1, 2, 3, 4, 5])("a failure at change %i of 5 puts back those before it, with content and mode", async (limit) => {
    const changes = await prepare();
    const files = open(
      renamings(limit, () => {
        throw Object.assign(new Error("full"), { code: "ENOSPC", syscall: "rename" });
      }),
    );
    await expect(files.change(changes)).rejects.toMatchObject({ code: "disk_full" });
    expect(listFiles()).toEqual(before);
    expect(statSync(join(root, "a.txt")).mode & 0o777).toBe(0o640);
  });

  test("what changed since it was read, and what is there by now, stops all before the first", async () => {
    const changes = await prepare();
    for (const [name, code] of [
      ["b.txt", "file_changed"],
      ["d.txt", "file_exists"],
    ] as const) {
      let count = 0;
      const files = open((step) => {
        if (step === "temporary_written" && ++count === 3) writeFileSync(join(root, name), "somebody else's");
      });
      await expect(files.change(changes)).rejects.toMatchObject({ code });
      expect(listFiles()).toEqual({ ...before, [name]: "somebody else's" });
      rmSync(join(root, name));
      await prepare();
    }
  });

  test("what cannot be put back is named", async () => {
    const changes = await prepare();
    const files = open(
      renamings(3, () => {
        rmSync(join(root, "new"), { recursive: true });
        throw Object.assign(new Error("full"), { code: "ENOSPC", syscall: "rename" });
      }),
    );
    await expect(files.change(changes)).rejects.toMatchObject({
      code: "disk_full",
      message: expect.stringContaining('put back: "new/b.txt"'),
    });
    expect(listFiles()).toEqual(before);
  });

  test("a call that is cancelled changes nothing", async () => {
    const changes = await prepare();
    const stop = new AbortController();
    const files = open((step) => step === "temporary_written" && stop.abort(), { signal: stop.signal });
    await expect(files.change(changes)).rejects.toThrow();
    expect(listFiles()).toEqual(before);
  });

  test.each([
    [
      "one path twice",
      [
        { kind: "add", path: "x", content: "" },
        { kind: "add", path: "./x", content: "" },
      ],
    ],
    [
      "a target that another one deletes",
      [
        { kind: "delete", path: "c.txt" },
        { kind: "update", path: "a.txt", content: "", ifVersion: "", moveTo: "c.txt" },
      ],
    ],
  ] as const)("refuses %s", async (_, changes) => {
    await prepare();
    const { version } = await open().readLines("a.txt");
    const known = changes.map((change) => (change.kind === "update" ? { ...change, ifVersion: version } : change));
    await expect(open().change(known)).rejects.toMatchObject({ code: expect.stringMatching(/path_refused|file_exists/) });
    expect(listFiles()).toEqual(before);
  });
});

const killed = `
  import { filesCapability } from ${JSON.stringify(new URL("./files-capability.ts", import.meta.url).href)};
  import { createCallSite } from ${JSON.stringify(new URL("../testing/call-site.ts", import.meta.url).href)};
  const [root, limit, changes] = process.argv.slice(1);
  let count = 0;
  const onStep = (step) => { if (step === "renaming" && ++count === Number(limit)) process.kill(process.pid, "SIGKILL"); };
  await filesCapability({ workspaceOf: () => root, onStep }).open("write", createCallSite()).change(JSON.parse(changes));
`;

test.each([3, 5])(
  "a process that is killed at change %i of 5 leaves each file old or new, and no content lost",
  { timeout: 60_000 },
  async (limit) => {
    const changes = await prepare();
    const args = ["--conditions=@toolwright/source", "--input-type=module", "-e", killed, root, String(limit), JSON.stringify(changes)];
    const child = spawn(process.execPath, args, { stdio: ["ignore", "inherit", "inherit"] });
    expect(await new Promise((resolve) => child.on("close", (_, signal) => resolve(signal)))).toBe("SIGKILL");
    const left = Object.fromEntries(Object.entries(listFiles()).filter(([name]) => !name.includes(".toolwright_")));
    const order = [
      ["a.txt", "new a"],
      ["new/b.txt", "new b"],
      ["d.txt", "new d"],
    ].slice(0, limit - 1);
    const expected: Record<string, string> = { ...before, ...Object.fromEntries(order) };
    if (limit === 5) delete expected["b.txt"];
    expect(left).toEqual(expected);
  },
);
