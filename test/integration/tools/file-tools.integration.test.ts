import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createHostDriver } from "@toolwright/sandbox";
import { fileDelete, fileEdit, fileList, fileRead, fileSearch, fileWrite } from "@toolwright/tools";
import { afterAll, afterEach, beforeEach, describe, expect, test } from "vitest";
import { openTools } from "./open-tools.ts";

const host = createHostDriver();
let tools: ReturnType<typeof openTools>;
const put = (path: string, content: string | Uint8Array) => writeFileSync(join(tools.workspace, path), content);
const content = (path: string) => readFileSync(join(tools.workspace, path), "utf8");

beforeEach(() => {
  tools = openTools(host);
});
afterEach(() => tools.close());
afterAll(() => host.close());

describe("file_read", () => {
  test("gives the whole of a small file, with its version", async () => {
    put("a.txt", "one\ntwo\n");
    const { output, text } = await tools.call(fileRead, { path: "a.txt" });
    expect(output).toMatchObject({ text: "one\ntwo\n", startLine: 1, endLine: 2, lines: 2, truncated: false, nextLine: null });
    expect(text).toBe(`a.txt: lines 1 to 2 of 2, version ${output.version}\none\ntwo\n`);
  });

  test("reads a large file to its end by following nextLine, without losing or repeating a line", async () => {
    const whole = Array.from({ length: 20_000 }, (_, at) => `line number ${at + 1} ä\n`).join("");
    put("large.txt", whole);
    const readFrom = (startLine: number) => tools.call(fileRead, { path: "large.txt", startLine });
    let read = "";
    let calls = 0;
    for (let startLine: number | null = 1; startLine !== null; calls += 1) {
      const { output, text }: Awaited<ReturnType<typeof readFrom>> = await readFrom(startLine);
      read += output.text;
      expect(text.includes(`[Cut here. Go on with startLine ${output.nextLine}.]`)).toBe(output.truncated);
      startLine = output.nextLine;
    }
    expect(read).toBe(whole);
    expect(calls).toBeGreaterThan(5);
  });

  test("a line that alone is too long is cut, said, and passed", async () => {
    put("wide.txt", `${"x".repeat(60_000)}\nnext\n`);
    const { output, text } = await tools.call(fileRead, { path: "wide.txt" });
    expect(output).toMatchObject({ endLine: 1, truncated: true, nextLine: 2 });
    expect(text).toContain("[Line 1 is cut: it is too long. Go on with startLine 2.]");
  });

  test.each([
    ["a range", { startLine: 2, endLine: 3 }, "2\n3\n"],
    ["an end beyond the file", { startLine: 4, endLine: 99 }, "4\n"],
    ["nulls for what is left out", { startLine: null, endLine: null }, "1\n2\n3\n4\n"],
  ])("gives %s", async (_, range, expected) => {
    put("a.txt", "1\n2\n3\n4\n");
    expect((await tools.call(fileRead, { path: "a.txt", ...range })).output.text).toBe(expected);
  });

  test("an empty file has no lines", async () => {
    put("empty.txt", "");
    expect((await tools.call(fileRead, { path: "empty.txt" })).output).toMatchObject({ text: "", lines: 0, endLine: 0, truncated: false });
  });

  const png = Buffer.from("89504e470d0a1a0a0000000d49484452", "hex");

  test.each<[name: string, bytes: Buffer, mediaType: string]>([
    ["picture", png, "image/png"],
    ["photo.txt", Buffer.from("ffd8ffe000104a464946", "hex"), "image/jpeg"],
    ["a.gif", Buffer.from("GIF89a\x01\xff\0", "latin1"), "image/gif"],
    ["a.webp", Buffer.from("RIFF\xff\0\0\0WEBPVP8 ", "latin1"), "image/webp"],
  ])("shows the image in %s, whatever its name, as a block beside the output", async (path, bytes, mimeType) => {
    put(path, bytes);
    const { output, text, shown, notes } = await tools.call(fileRead, { path });
    expect(shown).toEqual([{ type: "image", data: bytes.toString("base64"), mimeType }]);
    expect(output).toMatchObject({ path, text: "", image: { mediaType: mimeType, bytes: bytes.length } });
    expect(text).toBe(`${path}: ${mimeType}, ${bytes.length} bytes`);
    expect(notes).toEqual([expect.stringContaining("content block")]);
  });

  test("refuses an image that no model takes, and shows nothing of a binary file that only says it is one", async () => {
    put("large.png", Buffer.concat([png, Buffer.alloc(4_000_000, 255)]));
    put("false.png", Buffer.from("feff0001", "hex"));
    expect(await tools.refusal(fileRead, { path: "large.png" })).toMatchObject({
      code: "file_too_large",
      message: expect.stringContaining("4000016"),
    });
    expect((await tools.refusal(fileRead, { path: "false.png" })).code).toBe("binary_file");
  });

  test.each([
    ["a start beyond the end", { path: "a.txt", startLine: 9 }, "beyond_end", "has 1 lines"],
    ["a range backwards", { path: "a.txt", startLine: 3, endLine: 2 }, "empty_range", "Swap"],
    ["a binary file", { path: "image.png" }, "binary_file", "document_read"],
    ["a folder", { path: "." }, "not_a_file", "folder"],
    ["a missing file", { path: "no.txt" }, "file_not_found", "no.txt"],
    ["a path outside (R-FS-1)", { path: "../secret" }, "path_refused", ".."],
  ])("refuses %s and says why", async (_, input, code, message) => {
    put("a.txt", "1\n");
    put("image.png", Uint8Array.of(0x89, 0x50, 0x4e, 0x47, 0xff, 0));
    const refusal = await tools.refusal(fileRead, input);
    expect(refusal.code).toBe(code);
    expect(refusal.message).toContain(message);
    expect(refusal.message).not.toContain(tools.workspace);
  });
});

describe("file_write", () => {
  test("creates folders and the file, then replaces it", async () => {
    const created = await tools.call(fileWrite, { path: "a/b/c.txt", content: "one" });
    expect(created.output).toMatchObject({ created: true, bytes: 3 });
    const { output, text } = await tools.call(fileWrite, { path: "a/b/c.txt", content: "ö", version: created.output.version });
    expect(output).toMatchObject({ created: false, bytes: 2 });
    expect(text).toContain("Replaced a/b/c.txt (2 bytes)");
    expect(content("a/b/c.txt")).toBe("ö");
  });

  test.each([
    ["one that exists, with overwrite false", { overwrite: false }, "file_exists"],
    ["one that changed since the version", { version: "0".repeat(64) }, "file_changed"],
  ])("leaves %s alone", async (_, options, code) => {
    put("a.txt", "old");
    expect((await tools.refusal(fileWrite, { path: "a.txt", content: "new", ...options })).code).toBe(code);
    expect(content("a.txt")).toBe("old");
  });
});

describe("file_edit", () => {
  test("changes the one place and nothing else: line ends and byte order mark stay", async () => {
    put("a.txt", "\ufeffone\r\ntwo\r\nthree");
    const { output, text } = await tools.call(fileEdit, { path: "a.txt", oldText: "one\ntwo", newText: "1\n2" });
    expect(content("a.txt")).toBe("\ufeff1\r\n2\r\nthree");
    expect(output).toMatchObject({ replacements: 1, lines: [1] });
    expect(text).toContain("Edited a.txt in 1 place, at line 1");
  });

  test("the version it returns fits the next edit", async () => {
    put("a.txt", "a b");
    const { output } = await tools.call(fileEdit, { path: "a.txt", oldText: "a", newText: "x" });
    await tools.call(fileEdit, { path: "a.txt", oldText: "b", newText: "y", version: output.version });
    expect(content("a.txt")).toBe("x y");
  });

  test("refuses what is not unique with its lines, and replaceAll changes all of it", async () => {
    put("a.txt", "x\ny\nx\n");
    const refusal = await tools.refusal(fileEdit, { path: "a.txt", oldText: "x", newText: "z" });
    expect(refusal).toMatchObject({
      code: "text_not_unique",
      message: expect.stringContaining('occurs 2 times in "a.txt", at lines 1, 3'),
    });
    expect((await tools.call(fileEdit, { path: "a.txt", oldText: "x", newText: "z", replaceAll: true })).output.replacements).toBe(2);
    expect(content("a.txt")).toBe("z\ny\nz\n");
  });

  test.each([
    ["text that is not there, with the nearest lines", { oldText: "const port = 80;" }, "text_not_found", "1: const port = 8080;"],
    ["an edit that changes nothing", { oldText: "x", newText: "x" }, "no_change", "same"],
    ["a file that changed since it was read", { oldText: "const", version: "0".repeat(64) }, "file_changed", "Read it again"],
  ])("refuses %s", async (_, input, code, message) => {
    put("a.txt", "const port = 8080;\n");
    const refusal = await tools.refusal(fileEdit, { path: "a.txt", newText: "new", ...input });
    expect(refusal.code).toBe(code);
    expect(refusal.message).toContain(message);
    expect(content("a.txt")).toBe("const port = 8080;\n");
  });

  test("of two edits at the same time none is lost", async () => {
    put("a.txt", "a b");
    const edits = [
      { oldText: "a", newText: "x" },
      { oldText: "b", newText: "y" },
    ].map((edit) => tools.call(fileEdit, { path: "a.txt", ...edit }));
    const failed = (await Promise.allSettled(edits)).filter(({ status }) => status === "rejected");
    const expected = failed.length === 0 ? ["x y"] : ["x b", "a y"];
    expect(expected).toContain(content("a.txt"));
  });

  test("refuses a binary file and leaves it alone", async () => {
    put("a.bin", Uint8Array.of(0x61, 0xff));
    expect((await tools.refusal(fileEdit, { path: "a.bin", oldText: "a", newText: "b" })).code).toBe("binary_file");
  });
});

describe("file_delete", () => {
  test("deletes a file, and a full folder only when it is told to", async () => {
    mkdirSync(join(tools.workspace, "full"));
    put("full/a.txt", "a");
    put("b.txt", "b");
    expect((await tools.call(fileDelete, { path: "b.txt" })).output).toEqual({ path: "b.txt", deleted: 1 });
    await tools.refusal(fileDelete, { path: "full" });
    expect(existsSync(join(tools.workspace, "full/a.txt"))).toBe(true);
    await tools.call(fileDelete, { path: "full", recursive: true });
    expect(existsSync(join(tools.workspace, "full"))).toBe(false);
  });

  test("deletes a link and not what it points to", async () => {
    put("a.txt", "a");
    symlinkSync("a.txt", join(tools.workspace, "link"));
    await tools.call(fileDelete, { path: "link" });
    expect(content("a.txt")).toBe("a");
  });
});

describe("file_list", () => {
  test("shows the entries of a folder, deeper ones when asked", async () => {
    expect((await tools.call(fileList, {})).text).toBe(". is empty.");
    mkdirSync(join(tools.workspace, "src/deep"), { recursive: true });
    put("src/a.ts", "12345");
    put("src/deep/b.ts", "");
    expect((await tools.call(fileList, {})).text).toBe("src/");
    expect((await tools.call(fileList, { path: "src", depth: 2 })).text).toBe("src/a.ts (5 bytes)\nsrc/deep/\nsrc/deep/b.ts (0 bytes)");
  });
});

describe("file_search", () => {
  beforeEach(() => {
    mkdirSync(join(tools.workspace, "src"));
    put("src/a.ts", "one\nexport default defineTool({\nthree\n");
    put("src/b.md", "defineTool in words\n");
  });

  test("finds lines", async () => {
    const { output, text } = await tools.call(fileSearch, { type: "grep", pattern: "defineTool", glob: "*.ts" });
    expect(output.matches).toEqual([{ path: "src/a.ts", line: 2, text: "export default defineTool({", before: [], after: [] }]);
    expect(text).toBe("src/a.ts:2: export default defineTool({");
  });

  test("shows lines around a match", async () => {
    const { text } = await tools.call(fileSearch, { type: "grep", pattern: "defineTool({", literal: true, context: 1 });
    expect(text).toBe("src/a.ts-1- one\nsrc/a.ts:2: export default defineTool({\nsrc/a.ts-3- three\n--");
  });

  test("finds files by name", async () => {
    expect((await tools.call(fileSearch, { type: "glob", pattern: "**/*.md" })).output).toMatchObject({ paths: ["src/b.md"], matches: [] });
  });

  test("says when there is nothing, and when there is more", async () => {
    expect((await tools.call(fileSearch, { type: "grep", pattern: "absent" })).text).toBe("Nothing found.");
    const { output, text } = await tools.call(fileSearch, { type: "grep", pattern: "defineTool", limit: 1 });
    expect(output.truncated).toBe(true);
    expect(text).toContain("[There is more.");
  });

  test("a pattern that begins with a dash is a pattern", async () => {
    put("src/c.txt", "--files\n");
    expect((await tools.call(fileSearch, { type: "grep", pattern: "--files" })).output.paths).toEqual(["src/c.txt"]);
  });
});
