import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { afterAll, beforeAll, expect, it } from "vitest";
import { readLines } from "./read-lines.ts";

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "toolwright-lines-"));
});
afterAll(() => rm(folder, { recursive: true }));

const lines = ['{"a":"one\u2028two\u2029three\u0085four"}', "", `{"b":"${"ü".repeat(200_000)}"}`, "a\rb", "last"];

async function readAll(file: string, longest?: number): Promise<readonly string[]> {
  const read: string[] = [];
  for await (const line of readLines(file, longest)) read.push(line);
  return read;
}

it.each([
  ["plain", "lines.jsonl", (text: string) => Buffer.from(text)],
  ["packed", "lines.jsonl.gz", (text: string) => gzipSync(text)],
])("a %s file has the lines that were written, whatever stands in them", async (_, name, pack) => {
  for (const end of ["", "\n"]) {
    await writeFile(join(folder, name), pack(lines.join("\n") + end));
    expect(await readAll(join(folder, name))).toEqual(lines);
  }
});

it.each([
  ["that is not there", "none.jsonl.gz", undefined],
  ["that is not packed", "broken.gz", Buffer.from("text")],
  ["that ends in the middle", "cut.gz", gzipSync("a\nb\n").subarray(0, 15)],
])("a file %s is an error, and nothing waits for ever", async (_, name, content) => {
  if (content) await writeFile(join(folder, name), content);
  await expect(readAll(join(folder, name))).rejects.toThrow();
});

it.each([
  ["plain", "long.jsonl", (text: string) => Buffer.from(text)],
  ["packed", "long.jsonl.gz", (text: string) => gzipSync(text)],
])("a line of a %s file that is longer than the bound is refused, whether it ends or not", async (_, name, pack) => {
  const file = join(folder, name);
  for (const tail of ["", "\nlast", "x".repeat(1_000_000)]) {
    await writeFile(file, pack(`first\n${"x".repeat(101)}${tail}`));
    await expect(readAll(file, 100)).rejects.toMatchObject({ code: "input_too_large", details: { limit: 100 } });
  }
  await writeFile(file, pack(`first\n${"x".repeat(100)}\nlast`));
  expect(await readAll(file, 100)).toHaveLength(3);
});
