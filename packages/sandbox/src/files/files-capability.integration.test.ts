import { spawnSync } from "node:child_process";
import {
  chmodSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type CallSite, type ErrorCode, type Files, type ReadFiles, ToolwrightError } from "@toolwright/engine";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { allowed, createCallSite } from "../testing/call-site.ts";
import { type FilesOptions, filesCapability } from "./files-capability.ts";

let root: string;
beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), "tw-files-")));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

const open = (options: Partial<FilesOptions> = {}, site: Partial<Omit<CallSite, "principal" | "sandbox">> = {}) =>
  filesCapability({ workspaceOf: () => root, ...options }).open("write", createCallSite(site)) as Files;
const rejects = (promise: Promise<unknown>, code: ErrorCode) => expect(promise).rejects.toMatchObject({ code });

describe("a handle", () => {
  test("for reading has no way to write", () => {
    const files = filesCapability({ workspaceOf: () => root }).open("read", createCallSite()) as ReadFiles;
    expect(Object.keys(files).sort()).toEqual(["glob", "grep", "list", "readBytes", "readLines", "stat"]);
  });

  test("gets its folder from principal and session, never from a path (R-SB-1)", async () => {
    const asked: unknown[] = [];
    const workspaceOf: FilesOptions["workspaceOf"] = ({ principal, session }) => {
      asked.push([principal.tenant, session]);
      return root;
    };
    await open({ workspaceOf }).write("a.txt", "x");
    expect(asked).toEqual([["tenant_test", "session_test"]]);
  });

  test("does nothing once its call has ended", async () => {
    const files = open({}, { signal: AbortSignal.abort(new Error("the call ended")) });
    await expect(files.write("a.txt", "x")).rejects.toThrow("the call ended");
    expect(readdirSync(root)).toEqual([]);
  });
});

describe("what stands where a call would write", () => {
  const before = (
    path: string,
    { maxBytes = 100, ...site }: Partial<Omit<CallSite, "principal" | "sandbox">> & { maxBytes?: number } = {},
  ) =>
    filesCapability({ workspaceOf: () => root }).before?.({ kind: "path", path, access: "write" }, { ...createCallSite(site), maxBytes });

  test("is the text of the file, or that there is none", async () => {
    writeFileSync(join(root, "a.txt"), "one\r\ntwo");
    expect(await before("a.txt")).toEqual({ text: "one\r\ntwo" });
    expect(await before("no/b.txt")).toEqual({ text: undefined });
  });

  test.each([
    { name: "a link that leads out", path: "out", code: "path_refused" },
    { name: "a folder that leads out", path: "folder/secret", code: "path_refused" },
    { name: "a path that leads out", path: "../secret", code: "path_refused" },
    { name: "a forbidden file", path: "forbidden/a", code: "path_refused" },
    { name: "a file that the call may not read unasked", path: ".env", code: "path_refused" },
    { name: "a part of git", path: "r/.git/config", code: "path_refused" },
    { name: "a folder", path: "r", code: "not_a_file" },
    { name: "what is no text", path: "bytes", code: "not_a_file" },
    { name: "what is too large", path: "large", code: "file_too_large" },
  ] as const)("is not shown of $name", async ({ path, code }) => {
    const outside = mkdtempSync(join(tmpdir(), "tw-outside-"));
    writeFileSync(join(outside, "secret"), "secret");
    symlinkSync(join(outside, "secret"), join(root, "out"));
    symlinkSync(outside, join(root, "folder"));
    for (const folder of ["forbidden", "r/.git"]) mkdirSync(join(root, folder), { recursive: true });
    for (const name of ["forbidden/a", ".env", "r/.git/config"]) writeFileSync(join(root, name), "secret");
    writeFileSync(join(root, "bytes"), Buffer.from([0xff, 0xfe, 0x00]));
    writeFileSync(join(root, "large"), "a".repeat(101));
    const judge: CallSite["judge"] = () => ({ ...allowed, effect: "ask" });
    await rejects(Promise.resolve(before(path, { judge, paths: { forbidden: [join(root, "forbidden")] } })), code);
    rmSync(outside, { recursive: true });
  });
});

describe("a folder with the shape of a repository (R-GT-5)", () => {
  const shape = (...names: string[]) => {
    for (const name of names) mkdirSync(join(root, "x", name), { recursive: true });
    writeFileSync(join(root, "x/HEAD"), "ref: refs/heads/main\n");
  };

  test.each(["x/config", "x/hooks/pre-commit", "x/commondir", "link/config"])("does not let tools write %s", async (path) => {
    shape("objects", "refs");
    symlinkSync("x", join(root, "link"));
    await rejects(open().write(path, "[core]\n"), "path_refused");
    expect(readdirSync(join(root, "x")).sort()).toEqual(["HEAD", "objects", "refs"]);
  });

  test.each(["x/objects/a", "x/commondir"])("is not completed by writing %s", async (path) => {
    shape("refs");
    await rejects(open().write(path, "x"), "path_refused");
  });

  test("can be deleted as a whole, and a folder beside it be written", async () => {
    shape("objects", "refs");
    await open().write("y/config", "x");
    await open().delete("x", { recursive: true });
    expect(readdirSync(root)).toEqual(["y"]);
  });
});

describe("write", () => {
  test("creates folders, says so, and gives a version that reading gives too", async () => {
    const files = open();
    const written = await files.write("a/b/c.txt", "one\ntwo\n");
    expect(written).toMatchObject({ bytes: 8, created: true });
    expect(await files.readLines("a/b/c.txt")).toEqual({ text: "one\ntwo\n", lines: 2, truncated: false, version: written.version });
    expect(await files.write("a/b/c.txt", "x")).toMatchObject({ bytes: 1, created: false });
    expect(readdirSync(join(root, "a/b"))).toEqual(["c.txt"]);
  });

  test("keeps the mode of a file, and drops set-user-id", async () => {
    writeFileSync(join(root, "run.sh"), "x");
    chmodSync(join(root, "run.sh"), 0o4750);
    await open().write("run.sh", "y");
    expect(statSync(join(root, "run.sh")).mode & 0o7777).toBe(0o750);
  });

  test.runIf(process.geteuid?.() === 0)("as root gives new files and folders the owner of the workspace", async () => {
    spawnSync("chown", ["12345:12346", root]);
    await open().write("new/a.txt", "x");
    for (const path of ["new", "new/a.txt"]) expect(statSync(join(root, path))).toMatchObject({ uid: 12345, gid: 12346 });
  });

  test("with ifVersion refuses what was changed, replaced or removed since", async () => {
    const files = open();
    const { version } = await files.write("a.txt", "one");
    writeFileSync(join(root, "a.txt"), "two");
    await rejects(files.write("a.txt", "three", { ifVersion: version }), "file_changed");
    expect(readFileSync(join(root, "a.txt"), "utf8")).toBe("two");
    rmSync(join(root, "a.txt"));
    await rejects(files.write("a.txt", "three", { ifVersion: version }), "file_changed");
    await rejects(files.write("gone/a.txt", "three", { ifVersion: version }), "file_not_found");
    expect(readdirSync(root)).toEqual([]);
  });

  test("with ifVersion sees a change that comes after the comparison, even with size and time restored", async () => {
    const { version } = await open().write("a.txt", "one");
    const { atime, mtime } = statSync(join(root, "a.txt"));
    const meddle = (step: string) => {
      if (step !== "renaming") return;
      writeFileSync(join(root, "a.txt"), "two");
      utimesSync(join(root, "a.txt"), atime, mtime);
    };
    await rejects(open({ onStep: meddle }).write("a.txt", "new", { ifVersion: version }), "file_changed");
    expect(readFileSync(join(root, "a.txt"), "utf8")).toBe("two");
    expect(readdirSync(root)).toEqual(["a.txt"]);
  });

  test("of two that saw the same version, one is refused", async () => {
    const files = open();
    const { version } = await files.write("a.txt", "one");
    const results = await Promise.allSettled(["two", "three", "four"].map((text) => files.write("a.txt", text, { ifVersion: version })));
    expect(results.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
  });

  test("with ifMissing refuses to replace, also what comes at the last moment", async () => {
    const meddle = (step: string) => step === "renaming" && writeFileSync(join(root, "a.txt"), "theirs");
    await rejects(open({ onStep: meddle }).write("a.txt", "mine", { ifMissing: true }), "file_exists");
    await rejects(open().write("a.txt", "mine", { ifMissing: true }), "file_exists");
    expect(readFileSync(join(root, "a.txt"), "utf8")).toBe("theirs");
    expect(readdirSync(root)).toEqual(["a.txt"]);
  });

  test("refuses more than the limit and text that is not Unicode", async () => {
    await rejects(open({ maxFileBytes: 10 }).write("a.txt", "x".repeat(11)), "file_too_large");
    await rejects(open().write("a.txt", "\ud800"), "invalid_input");
    expect(readdirSync(root)).toEqual([]);
  });

  test("leaves no temporary file behind when it fails at any moment", async () => {
    for (const fatal of ["walked", "temporary_opened", "temporary_written", "renaming"]) {
      const onStep = (step: string) => {
        if (step === fatal) throw new Error("power cut");
      };
      await expect(open({ onStep }).write("a.txt", "x")).rejects.toThrow("power cut");
      expect(readdirSync(root)).toEqual([]);
    }
  });

  test.runIf(process.getuid?.() === 0 && process.platform === "linux")(
    "says that the disk is full, and keeps the old file (needs root)",
    async () => {
      expect(spawnSync("mount", ["-t", "tmpfs", "-o", "size=64k", "tmpfs", root]).status).toBe(0);
      try {
        const files = open();
        await files.write("a.txt", "old");
        await rejects(files.write("a.txt", "x".repeat(100_000)), "disk_full");
        expect(readFileSync(join(root, "a.txt"), "utf8")).toBe("old");
        expect(readdirSync(root)).toEqual(["a.txt"]);
      } finally {
        spawnSync("umount", [root]);
      }
    },
  );
});

describe("read", () => {
  test("gives bytes as they are, and refuses more than was asked for", async () => {
    writeFileSync(join(root, "a.bin"), Buffer.from([0, 255, 1]));
    expect([...(await open().readBytes("a.bin"))]).toEqual([0, 255, 1]);
    await rejects(open().readBytes("a.bin", { maxBytes: 2 }), "file_too_large");
    await rejects(open().readLines("a.bin"), "not_a_file");
  });

  test("speaks of a path below the workspace only, also when it was given whole (R-FS-6)", async () => {
    writeFileSync(join(root, "a.bin"), Buffer.from([255]));
    const files = open({ maxFileBytes: 10 });
    const inside = (name: string) => join(root, name);
    const attempts = [
      files.readLines(inside("a.bin")),
      files.readBytes(inside("a.bin"), { maxBytes: 0 }),
      files.readLines(inside("nope/x")),
      files.readLines(inside("../x")),
      files.write(inside("a.txt"), "x".repeat(11)),
      files.write(inside("a.bin"), "x", { ifMissing: true }),
      files.write(inside(".git/config"), "x"),
      files.list(inside("a.bin")),
      files.delete(inside("nope")),
      files.delete(root),
    ];
    for (const attempt of attempts) {
      const error = await attempt.catch((thrown: unknown) => thrown);
      expect(ToolwrightError.is(error) && `${error.message} ${JSON.stringify(error.details)} ${error.cause}`).not.toContain(root);
      expect(error).toBeInstanceOf(ToolwrightError);
    }
  });

  test("says that the workspace is gone, without its place (R-FS-6)", async () => {
    rmSync(root, { recursive: true });
    for (const attempt of [open().readLines("a.txt"), open().write("a.txt", "x"), open().list("."), open().grep({ pattern: "x" })]) {
      const error = await attempt.catch((thrown: unknown) => thrown);
      expect(ToolwrightError.is(error) && error).toMatchObject({ code: "workspace_missing", message: expect.not.stringContaining(root) });
    }
  });

  test("closes every folder it opened", async () => {
    mkdirSync(join(root, "a/b/c"), { recursive: true });
    symlinkSync("/etc", join(root, "a/b/out"));
    const descriptors = () => readdirSync("/proc/self/fd").length;
    const files = open();
    const before = descriptors();
    for (const path of ["a/b/c/x.txt", "a/b/out/passwd", "a/b/../../a/b/c", "../x", ".env", "a/b/c/"])
      await files.readLines(path).catch(() => {});
    await files.list("a", { depth: 5 });
    await files.delete("a", { recursive: true });
    expect(descriptors()).toBe(before);
  });
});

describe("rules of the call site", () => {
  test("forbidden prefixes hold below the workspace, without case, through links, and for each way in", async () => {
    mkdirSync(join(root, "private/deep"), { recursive: true });
    writeFileSync(join(root, "private/deep/a.txt"), "x");
    symlinkSync("private/deep", join(root, "door"));
    const files = open({}, { paths: { forbidden: [join(root, "PRIVATE")] } });
    await rejects(files.readLines("private/deep/a.txt"), "path_refused");
    await rejects(files.readLines("door/a.txt"), "path_refused");
    await rejects(files.list("private"), "path_refused");
    await rejects(files.write("private/new.txt", "x"), "path_refused");
    await rejects(files.delete("private", { recursive: true }), "path_refused");
    await files.write("privateer.txt", "x");
    expect((await files.list(".", { depth: 9 })).entries.map(({ path }) => path)).toEqual(["door", "private", "privateer.txt"]);
  });

  test("a prefix that holds the whole workspace does not count", async () => {
    await expect(open({}, { paths: { forbidden: [tmpdir(), "/"] } }).write("a.txt", "x")).resolves.toBeTruthy();
  });

  test("a credential file is read only when the decision allows that very path", async () => {
    writeFileSync(join(root, ".env"), "KEY=1");
    const asked: unknown[] = [];
    const judge =
      (effect: "allow" | "ask"): CallSite["judge"] =>
      (reach) => {
        asked.push(reach);
        return { ...allowed, effect };
      };
    await rejects(open({}, { judge: judge("ask") }).readLines("./.env"), "path_refused");
    expect((await open({}, { judge: judge("allow") }).readLines("./.env")).text).toBe("KEY=1");
    expect(asked[0]).toEqual({ kind: "path", path: ".env", access: "read" });
    await rejects(open({}, { judge: judge("allow") }).write(".git/config", "x"), "path_refused");
    const approved: CallSite["judge"] = (reach) => ({
      ...allowed,
      effect: reach.kind === "path" && reach.path === "./.env" ? "allow" : "ask",
    });
    expect((await open({}, { judge: approved }).readLines("./.env")).text).toBe("KEY=1");
    symlinkSync(".env", join(root, "innocent.txt"));
    const misled: CallSite["judge"] = (reach) => ({
      ...allowed,
      effect: reach.kind === "path" && reach.path === "innocent.txt" ? "allow" : "ask",
    });
    await rejects(open({}, { judge: misled }).readLines("innocent.txt"), "path_refused");
  });
});

describe("list, stat and delete", () => {
  beforeEach(() => {
    mkdirSync(join(root, "b/deep/.git"), { recursive: true });
    writeFileSync(join(root, "b/deep/.git/config"), "x");
    writeFileSync(join(root, "b/z.txt"), "12345");
    writeFileSync(join(root, "a.txt"), "1");
    writeFileSync(join(root, "b-c.txt"), "1");
    symlinkSync("/etc", join(root, "out"));
  });

  test("list gives its own entries, links as links, sorted", async () => {
    const { entries, truncated } = await open().list(".");
    expect(entries.map(({ path, kind, size }) => [path, kind, size])).toEqual([
      ["a.txt", "file", 1],
      ["b", "directory", 0],
      ["b-c.txt", "file", 1],
      ["out", "link", 0],
    ]);
    expect(truncated).toBe(false);
  });

  test("list goes as deep as it is told, into no link and no repository's inside", async () => {
    const { entries } = await open().list(".", { depth: 9 });
    expect(entries.map(({ path }) => path)).toEqual(["a.txt", "b", "b-c.txt", "b/deep", "b/deep/.git", "b/z.txt", "out"]);
    expect((await open().list("b/deep/.git")).entries.map(({ path }) => path)).toEqual(["b/deep/.git/config"]);
  });

  test("list says when it stops", async () => {
    const { entries, truncated } = await open().list(".", { depth: 9, limit: 3 });
    expect([entries.length, truncated]).toEqual([3, true]);
  });

  test("list shows what a name hides", async () => {
    writeFileSync(join(root, "a\u001b[31m\u202e.txt"), "");
    expect((await open().list(".")).entries.map(({ path }) => path)).toContain("a\\u{1b}[31m\\u{202e}.txt");
  });

  test("stat describes a link, not its target", async () => {
    expect(await open().stat("out")).toMatchObject({ path: "out", kind: "link", size: 0 });
    expect(await open().stat("./b/../b/z.txt")).toEqual({ path: "b/z.txt", kind: "file", size: 5, modifiedAt: expect.any(Number) });
    expect(await open().stat(".")).toMatchObject({ path: ".", kind: "directory" });
  });

  test("delete counts what it removed, and follows no link", async () => {
    rmSync(join(root, "b/deep/.git"), { recursive: true });
    symlinkSync("/etc", join(root, "b/out"));
    expect(await open().delete("b", { recursive: true })).toEqual({ deleted: 4 });
    expect(await open().delete("out")).toEqual({ deleted: 1 });
    expect(lstatSync("/etc").isDirectory()).toBe(true);
    expect(readdirSync(root)).toEqual(["a.txt", "b-c.txt"]);
  });

  test("delete removes nothing at all when something below is protected (R-FS-5)", async () => {
    writeFileSync(join(root, "b/a.txt"), "x");
    await rejects(open().delete("b", { recursive: true }), "path_refused");
    expect(readdirSync(join(root, "b"))).toEqual(["a.txt", "deep", "z.txt"]);
  });

  test("delete takes an empty folder without being told twice, a full one not", async () => {
    mkdirSync(join(root, "empty"));
    expect(await open().delete("empty")).toEqual({ deleted: 1 });
    await rejects(open().delete("b"), "not_a_file");
  });
});
