import { execFileSync } from "node:child_process";
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
