import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { CallSite, Files } from "@toolwright/engine";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { allowed, createCallSite } from "../testing/call-site.ts";
import { filesCapability } from "./files-capability.ts";

let base: string;
let [workspace, data, out] = ["", "", ""];
beforeEach(() => {
  base = realpathSync(mkdtempSync(join(tmpdir(), "tw-opened-")));
  [workspace = "", data = "", out = ""] = ["workspace", "data", "out"].map((name) => join(base, name));
  for (const folder of [workspace, data, out]) mkdirSync(folder);
  writeFileSync(join(data, "prices.csv"), "a,1\nb,2\n");
  writeFileSync(join(base, "secret.txt"), "secret");
  symlinkSync("../secret.txt", join(data, "link.txt"));
});
afterEach(() => rmSync(base, { recursive: true, force: true }));

const rules = (): CallSite["paths"] => ({
  forbidden: [],
  roots: [
    { path: data, access: "read" },
    { path: out, access: "write" },
  ],
});
const open = (paths = rules(), site: Partial<Pick<CallSite, "judge">> = {}) =>
  filesCapability({ workspaceOf: () => workspace }).open("write", createCallSite({ paths, ...site })) as Files;

describe("a folder that the policy opens beside the workspace", () => {
  test("is read by absolute paths, and named by them", async () => {
    const files = open();
    expect((await files.readLines(join(data, "prices.csv"))).text).toContain("b,2");
    expect(await files.stat(join(data, "prices.csv"))).toMatchObject({ path: join(data, "prices.csv"), kind: "file" });
    expect((await files.stat(data)).path).toBe(data);
    expect((await files.list(data)).entries.map(({ path }) => path)).toEqual([join(data, "link.txt"), join(data, "prices.csv")]);
  });

  test("takes writes, edits and deletions where it is open for writing", async () => {
    const files = open();
    await files.write(join(out, "sub/a.txt"), "one");
    await files.change([{ kind: "add", path: join(out, "b.txt"), content: "two" }]);
    expect(readFileSync(join(out, "sub/a.txt"), "utf8")).toBe("one");
    expect((await files.delete(join(out, "b.txt"))).deleted).toBe(1);
  });

  test.each<[string, () => string]>([
    ["a file of a folder for reading", () => join(data, "prices.csv")],
    ["a new one there", () => join(data, "new.txt")],
    ["what nobody opens", () => join(base, "secret.txt")],
    ["a name that only begins alike", () => `${out}side.txt`],
    ["a way out", () => `${out}/../secret.txt`],
  ])("keeps %s as it is", async (_name, path) => {
    await expect(open().write(path(), "x")).rejects.toMatchObject({ code: "path_refused" });
    await expect(open().delete(path())).rejects.toMatchObject({ code: "path_refused" });
    expect(readFileSync(join(data, "prices.csv"), "utf8")).toBe("a,1\nb,2\n");
  });

  test("confines its links", async () => {
    await expect(open().readLines(join(data, "link.txt"))).rejects.toMatchObject({ code: "path_refused" });
    symlinkSync(data, join(workspace, "data"));
    await expect(open().readLines("data/prices.csv")).rejects.toMatchObject({ code: "path_refused" });
  });

  test("keeps what the policy forbids and what may hold credentials", async () => {
    writeFileSync(join(data, ".env"), "KEY=1");
    const forbidden = open({ ...rules(), forbidden: [join(data, "prices.csv")] });
    await expect(forbidden.readLines(join(data, "prices.csv"))).rejects.toThrow(/paths\.forbidden/);
    const asked = open(rules(), { judge: () => ({ ...allowed, effect: "ask" }) });
    await expect(asked.readLines(join(data, ".env"))).rejects.toMatchObject({ code: "path_refused" });
    const whole = open({ ...rules(), forbidden: [base] });
    await expect(whole.readLines(join(data, "prices.csv"))).rejects.toThrow(/paths\.forbidden/);
  });

  test("says where a failure was, and that the folder is missing", async () => {
    await expect(open().readLines(join(data, "no.csv"))).rejects.toThrow(`In ${data}: `);
    rmSync(data, { recursive: true });
    await expect(open().readLines(join(data, "prices.csv"))).rejects.toMatchObject({
      code: "file_not_found",
      message: expect.stringContaining(data),
    });
  });

  test("is named to who asks for a path beside it", async () => {
    await expect(open().readLines("/var/none.txt")).rejects.toThrow(
      `the policy opens "${data}" for reading, "${out}" for reading and writing`,
    );
  });

  test("is refused where workspaces lie in it", async () => {
    await expect(open({ forbidden: [], roots: [{ path: base, access: "read" }] }).readLines(join(base, "secret.txt"))).rejects.toThrow(
      /paths\.roots, and workspaces lie in it/,
    );
  });

  test("shares no change that is made whole with the workspace", async () => {
    const changes = [
      { kind: "add", path: "a.txt", content: "x" },
      { kind: "add", path: join(out, "a.txt"), content: "x" },
    ] as const;
    await expect(open().change(changes)).rejects.toThrow(/Split it by folder/);
  });
});
