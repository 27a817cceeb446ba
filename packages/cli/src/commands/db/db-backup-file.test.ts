import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { exitCodes } from "../../exit-code.ts";
import { openBackupFile } from "./db-backup-file.ts";

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "toolwright-backup-"));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

describe.each(["all.jsonl", "all.gz"])("the file %s of a backup", (name) => {
  test("is at its place when all of it is written, for its owner alone", async () => {
    const path = join(root, name);
    const file = await openBackupFile(path);
    const { result, bytes } = await file.write(async (write) => {
      for (let index = 0; index < 2_000; index += 1) await write(`${String(index).padStart(60)}\n`);
      expect(existsSync(path)).toBe(false);
      return "done";
    });
    await file.dispose();
    const written = readFileSync(path);
    const text = String(name.endsWith(".gz") ? gunzipSync(written) : written);
    expect({ result, lines: text.split("\n").length, bytes }).toEqual({ result: "done", lines: 2_001, bytes: written.length });
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(readdirSync(root)).toEqual([name]);
  });

  test("is not there when the store fails in the middle", async () => {
    const file = await openBackupFile(join(root, name));
    const lost = new Error("The store is away.");
    const writing = file.write(async (write) => {
      await write("a\n");
      throw lost;
    });
    await expect(writing).rejects.toBe(lost);
    await file.dispose();
    expect(readdirSync(root)).toEqual([]);
  });
});

test("a place where nothing can be written is told before anything is done", async () => {
  await expect(openBackupFile(join(root, "gone", "all.gz"))).rejects.toMatchObject({
    exitCode: exitCodes.usage,
    message: expect.stringMatching(
      /The backup .*gone\/all\.gz cannot be written: there is no such file or folder \(ENOENT\).*Name a file in a folder that is there/,
    ),
  });
});
