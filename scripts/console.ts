// Builds the console, checks its types, and what its pages load: one line each. Part of `npm test`.
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));
const typescript = join(root, "node_modules", "typescript", "bin", "tsc");

const parts: readonly (readonly [name: string, args: readonly string[]])[] = [
  ["built", ["web/build.ts"]],
  ["types", [typescript, "--noEmit", "-p", "web/tsconfig.json", "--checkers", "1"]],
  ["size", ["web/size.ts"]],
];

for (const [name, args] of parts) {
  const { status } = spawnSync(process.execPath, args, { cwd: root, stdio: ["ignore", "inherit", "inherit"] });
  console.log(`=== ${name}: ${status === 0 ? "passed" : "FAILED"}`);
  if (status !== 0) process.exitCode = 1;
}
