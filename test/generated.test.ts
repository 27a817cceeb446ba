import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { generatedFiles } from "../scripts/generate.ts";
import { root } from "./architecture/source-files.ts";

const files: (readonly [path: string, text: string])[] = [];
for await (const file of generatedFiles()) files.push(file);

test.each(files)("%s is what npm run generate writes now", (path, text) => {
  expect(readFileSync(join(root, path), "utf8")).toBe(text);
});
