import { execFileSync, spawnSync } from "node:child_process";
import { chmodSync, existsSync, linkSync, mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { createHostDriver } from "@toolwright/sandbox";
import { filePatch } from "@toolwright/tools";
import { afterAll, afterEach, beforeEach, describe, expect, test } from "vitest";
import { openTools } from "./open-tools.ts";

const host = createHostDriver();
let tools: ReturnType<typeof openTools>;
const at = (path: string) => join(tools.workspace, path);
const put = (path: string, content: string | Uint8Array) => {
  mkdirSync(dirname(at(path)), { recursive: true });
  writeFileSync(at(path), content);
};
const content = (path: string) => readFileSync(at(path), "utf8");
const envelope = (...lines: readonly string[]) => `*** Begin Patch\n${lines.join("\n")}\n*** End Patch\n`;

beforeEach(() => {
  tools = openTools(host);
});
afterEach(() => tools.close());
afterAll(() => host.close());

describe("file_patch", () => {
  test("adds, updates, moves and deletes in one call, and says what became of each file", async () => {
    put("a.txt", "one\ntwo\n");
    put("b.txt", "x \ny\n");
    put("c.sh", "echo\r\nend\r\n");
    chmodSync(at("c.sh"), 0o750);
    put("old.txt", "gone\n");
    const { output, text } = await tools.call(filePatch, {
      patch: envelope(
        ...["*** Update File: a.txt", "@@", "-two", "+2", "*** Update File: b.txt", "@@", "-x", "+X", "*** Update File: c.sh"],
        ...["*** Move to: bin/c.sh", "@@", " echo", "+more", "*** Delete File: old.txt", "*** Add File: new/n.txt", "+n"],
      ),
    });
    expect([content("a.txt"), content("b.txt"), content("bin/c.sh"), content("new/n.txt")]).toEqual([
      "one\n2\n",
      "X\ny\n",
      "echo\r\nmore\r\nend\r\n",
      "n\n",
    ]);
    expect(statSync(at("bin/c.sh")).mode & 0o777).toBe(0o750);
    expect([existsSync(at("c.sh")), existsSync(at("old.txt"))]).toEqual([false, false]);
    const version = expect.stringMatching(/^[0-9a-f]{64}$/);
    expect(output.files).toEqual([
      { path: "a.txt", change: "updated", version, match: "exact" },
      { path: "b.txt", change: "updated", version, match: "trailing_space" },
      { path: "bin/c.sh", change: "moved", version, match: "line_ends" },
      { path: "old.txt", change: "deleted", version: null, match: null },
      { path: "new/n.txt", change: "added", version, match: null },
    ]);
    expect(text).toMatch(
      /^Updated a\.txt, version [0-9a-f]{64}\nUpdated b\.txt.*blanks at the ends.*\nMoved bin\/c\.sh.*line ends.*\nDeleted old\.txt\nAdded new/,
    );
    expect(readdirSync(tools.workspace, { recursive: true }).filter((name) => String(name).includes(".tmp"))).toEqual([]);
  });

  test("applies what git writes of a change of its own: names, modes, renames, ends of files", async () => {
    const git = (...args: string[]) =>
      execFileSync("git", ["-c", "user.name=a", "-c", "user.email=a@b", "-C", at("repo"), ...args], { encoding: "utf8" });
    mkdirSync(at("repo"));
    git("init", "-q");
    const before = {
      "keep.txt": "a\nb\nc\n",
      "name with ä.txt": "x\n",
      "moved.txt": "1\n2\n3\n4\n5\n",
      "gone.txt": "g\n",
      "end.txt": "e\n",
      "run.sh": "#!/bin/sh\n",
    };
    for (const [name, text] of Object.entries(before)) put(`repo/${name}`, text);
    git("add", "-A");
    git("commit", "-qm", "before");
    put("repo/keep.txt", "a\nB\nc\nd\n");
    put("repo/name with ä.txt", "y\n");
    git("mv", "moved.txt", "there.txt");
    put("repo/there.txt", "1\n2\n3\n4\nfive\n");
    git("rm", "-q", "gone.txt");
    put("repo/end.txt", "e");
    put("repo/empty.txt", "");
    put("repo/new.sh", "n\n");
    for (const name of ["run.sh", "new.sh"]) chmodSync(at(`repo/${name}`), 0o755);
    git("add", "-A");
    const patch = git("diff", "--cached", "--no-ext-diff");
    const listed = git("ls-files", "-s");
    // The same change on a copy of what was before, beside the repository.
    for (const [name, text] of Object.entries(before)) put(name, text);
    const { output, notes } = await tools.call(filePatch, { patch });
    expect(notes).toEqual([]);
    expect(output.files.every(({ match }) => match === null || match === "exact")).toBe(true);
    for (const line of listed.trim().split("\n")) {
      const [, mode, quoted = ""] = /^(\d+) \S+ \d\t(.+)$/.exec(line)!;
      const name = quoted.startsWith('"') ? "name with ä.txt" : quoted;
      expect(content(name), name).toBe(content(`repo/${name}`));
      expect((statSync(at(name)).mode & 0o111) !== 0, name).toBe(mode === "100755");
    }
    expect([existsSync(at("gone.txt")), existsSync(at("moved.txt"))]).toEqual([false, false]);
  });

  describe("applies all that a program writes of three commits", () => {
    const text = (...changed: readonly string[]) =>
      Array.from({ length: 12 }, (_, at) => `${changed.find((line) => line.startsWith(`${at + 1} `)) ?? `${at + 1} old`}\n`).join("");
    const states: readonly Readonly<Record<string, string>>[] = [
      { "src/a.txt": text(), "src/b.txt": text(), "gone.txt": "g\n" },
      { "src/a.txt": text("2 new"), "src/b.txt": text(), "src/c d.txt": "c\n" },
      { "src/a.txt": text("2 new", "11 new"), "src/b.txt": text("5 new"), "src/c d.txt": "c\nd\n", "e/e.txt": "e\n" },
    ];
    const lay = (root: string, state: Readonly<Record<string, string>>) => {
      for (const [name, content] of Object.entries(state)) put(`${root}${name}`, content);
    };
    const run = (program: string, args: readonly string[], path = "repo") =>
      spawnSync(program, args, { cwd: at(path), encoding: "utf8", env: { ...process.env, LC_ALL: "C", TZ: "America/Caracas" } }).stdout;
    const git = (...args: readonly string[]) => run("git", ["-c", "user.name=a", "-c", "user.email=a@b", ...args]);

    test.each<[name: string, patch: () => string]>([
      ["git format-patch", () => git("format-patch", "--stdout", "--root", "HEAD~2..HEAD")],
      ["git format-patch without signatures", () => git("format-patch", "--stdout", "--no-signature", "HEAD~2..HEAD")],
      ["git log", () => git("log", "-p", "--stat", "--reverse", "HEAD~2..HEAD")],
      ["git show", () => git("show", "HEAD~1", "HEAD")],
      ["git diff with mnemonic sides", () => git("-c", "diff.mnemonicPrefix=true", "diff", "--cached", "HEAD~2")],
      ["git diff without sides", () => git("diff", "--no-prefix", "HEAD~2")],
      ["git diff with sides of its caller", () => git("diff", "--src-prefix=before/", "--dst-prefix=now/", "HEAD~2")],
      ["git diff with its sides exchanged", () => git("diff", "-R", "HEAD", "HEAD~2")],
      ["diff -ruN", () => run("diff", ["-ruN", "before", "now"], ".")],
    ])("%s", async (name, patch) => {
      mkdirSync(at("repo"));
      git("init", "-q");
      for (const [index, state] of states.entries()) {
        git("rm", "-rq", "--ignore-unmatch", ".");
        lay("repo/", state);
        git("add", "-A");
        git("commit", "-qm", `state ${index}\n\n- a point\n+ another`);
      }
      lay("before/", states[0]!);
      lay("now/", states[2]!);
      lay("", states[0]!);
      const { output, notes } = await tools.call(filePatch, { patch: patch() });
      expect(notes).toEqual([]);
      expect(output.files).toHaveLength(5);
      for (const [path, expected] of Object.entries(states[2]!)) expect(content(path), `${name}: ${path}`).toBe(expected);
      expect(existsSync(at("gone.txt"))).toBe(false);
    });
  });

  test("adds and deletes a file in one patch only where there is none", async () => {
    const add = ["--- /dev/null", "+++ b/n.txt", "@@ -0,0 +1 @@", "+n"];
    const patch = [...add, "--- a/n.txt", "+++ /dev/null", "@@ -1 +0,0 @@", "-n", ""].join("\n");
    expect((await tools.call(filePatch, { patch })).output.files).toEqual([
      { path: "n.txt", change: "deleted", version: null, match: "exact" },
    ]);
    expect(existsSync(at("n.txt"))).toBe(false);
    put("n.txt", "there\n");
    expect(await tools.refusal(filePatch, { patch })).toMatchObject({ code: "file_exists" });
    expect(content("n.txt")).toBe("there\n");
  });

  test("deletes a file that a diff calls empty only where it is empty", async () => {
    put("e.txt", "words\n");
    const patch = "diff --git a/e.txt b/e.txt\ndeleted file mode 100644\nindex e69de29..0000000\n";
    expect(await tools.refusal(filePatch, { patch })).toMatchObject({ code: "text_not_found" });
    put("e.txt", "");
    await tools.call(filePatch, { patch });
    expect(existsSync(at("e.txt"))).toBe(false);
  });

  test("changes nothing when one of its files cannot be changed, and tells every reason", async () => {
    put("a.txt", "a\n");
    put("b.txt", "b\n");
    const { code, message } = await tools.refusal(filePatch, {
      patch: envelope(
        ...["*** Update File: a.txt", "-a", "+A", "*** Add File: fresh/n.txt", "+n", "*** Update File: b.txt", "-c", "+C"],
        ...["*** Update File: missing.txt", "-x", "+y"],
      ),
    });
    expect(code).toBe("text_not_found");
    expect(message).toMatch(/In "b\.txt", .*\nThere is no file "missing\.txt".*\nNothing was changed\.$/s);
    expect([content("a.txt"), content("b.txt"), existsSync(at("fresh"))]).toEqual(["a\n", "b\n", false]);
  });

  test.each<[name: string, patch: readonly string[], code: string]>([
    ["a file that is there already", ["*** Update File: a.txt", "-a", "+A", "*** Add File: b.txt", "+x"], "file_exists"],
    ["a move onto another file", ["*** Update File: a.txt", "*** Move to: b.txt"], "file_exists"],
    ["a file that is not there", ["*** Update File: c.txt", "-a", "+A"], "file_not_found"],
    ["a path outside", ["*** Update File: a.txt", "-a", "+A", "*** Add File: ../out.txt", "+x"], "path_refused"],
    ["an absolute path outside", ["*** Update File: a.txt", "-a", "+A", "*** Delete File: /etc/hostname"], "path_refused"],
    ["a link that leads out", ["*** Update File: a.txt", "-a", "+A", "*** Add File: out/x.txt", "+x"], "path_refused"],
    [
      "a file that a link leads to, named by both",
      ["*** Update File: a.txt", "-a", "+A", "*** Update File: link.txt", "-a", "+B"],
      "path_refused",
    ],
    ["a file with another name outside", ["*** Update File: a.txt", "-a", "+A", "*** Delete File: hard.txt"], "path_refused"],
    ["a protected name", ["*** Update File: a.txt", "-a", "+A", "*** Add File: .git/hooks/pre-commit", "+x"], "path_refused"],
    ["a folder", ["*** Update File: a.txt", "-a", "+A", "*** Delete File: folder"], "not_a_file"],
    ["what is not text", ["*** Update File: a.txt", "-a", "+A", "*** Update File: binary", "-a", "+A"], "binary_file"],
    ["a change that is none", ["*** Update File: a.txt", "@@", "-a", "+a"], "no_change"],
  ])("refuses %s, and changes nothing else", async (_, patch, code) => {
    put("a.txt", "a\n");
    put("b.txt", "b\n");
    put("binary", Buffer.from([0x61, 0x0a, 0xff, 0xfe]));
    mkdirSync(at("folder"));
    symlinkSync("/tmp", at("out"));
    symlinkSync("a.txt", at("link.txt"));
    put("first.txt", "h\n");
    linkSync(at("first.txt"), at("hard.txt"));
    expect(await tools.refusal(filePatch, { patch: envelope(...patch) })).toMatchObject({ code });
    expect([content("a.txt"), content("b.txt"), existsSync(at("first.txt"))]).toEqual(["a\n", "b\n", true]);
  });

  test("deletes a file of any kind, but what the patch shows of it must be all of it", async () => {
    put("binary", Buffer.from([0xff, 0xfe]));
    put("text", "a\nb\n");
    await tools.call(filePatch, { patch: envelope("*** Delete File: binary") });
    expect(existsSync(at("binary"))).toBe(false);
    const partly = "--- a/text\n+++ /dev/null\n@@ -1 +0,0 @@\n-a\n";
    expect(await tools.refusal(filePatch, { patch: partly })).toMatchObject({
      code: "text_not_found",
      message: expect.stringContaining("all of it"),
    });
  });

  test("says which headers of a diff count wrongly", async () => {
    put("a.txt", "a\n");
    const { notes } = await tools.call(filePatch, { patch: "--- a/a.txt\n+++ b/a.txt\n@@ -1,5 +1,5 @@\n-a\n+b\n" });
    expect(notes).toEqual([expect.stringContaining("at lines 3 of the patch count other lines")]);
  });
});
