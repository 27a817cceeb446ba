import { createHash } from "node:crypto";
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));

/** What the pages are made of: their own folder, and the client that they import. */
const sources = [
  ["web/*.{json,ts,html}", "web/src/**/*.{ts,tsx,css,svg}"],
  ["packages/doors/src/rest/**/*.ts", "packages/engine/src/contract/**/*.ts"],
].flat();

/** By this a build says what it was made of. */
export function hashSources(): string {
  const digest = createHash("sha256");
  const files = globSync(sources, { cwd: root }).filter((path) => !/\.test\.tsx?$/.test(path));
  for (const file of files.sort())
    digest
      .update(`${file}\0`)
      .update(readFileSync(join(root, file)))
      .update("\0");
  return digest.digest("hex").slice(0, 20);
}
