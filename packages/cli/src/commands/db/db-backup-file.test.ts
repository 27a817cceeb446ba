import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { openBackupFile } from "./db-backup-file.ts";

test("two backups of one file at the same time are each whole, and the one that ends last stays", async () => {
  const folder = await mkdtemp(join(tmpdir(), "toolwright-backup-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const path = join(folder, "all.jsonl");
  const [first, second] = [await openBackupFile(path), await openBackupFile(path)];
  const firstHasBegun = Promise.withResolvers<void>();
  const secondIsThere = Promise.withResolvers<void>();
  const writing = first.write(async (write) => {
    await write("first\n");
    firstHasBegun.resolve();
    await secondIsThere.promise;
    await write("first\n");
  });
  await firstHasBegun.promise;
  await second.write((write) => write("second, which is longer\n"));
  expect(await readFile(path, "utf8")).toBe("second, which is longer\n");
  secondIsThere.resolve();
  await writing;
  await Promise.all([first.dispose(), second.dispose()]);
  expect(await readFile(path, "utf8")).toBe("first\nfirst\n");
  expect(await readdir(folder)).toEqual(["all.jsonl"]);
});
