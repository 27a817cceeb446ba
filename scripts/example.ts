// Runs one of the examples: npm run example NAME
import { spawnSync } from "node:child_process";
import { globSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));
const [name = ""] = process.argv.slice(2);
const stories = globSync("examples/*/main.ts", { cwd: root })
  .map((path) => path.split("/")[1] ?? "")
  .sort();

if (!stories.includes(name)) {
  console.error(`${name === "" ? "No example is named" : `There is no example "${name}"`}. Name one of: ${stories.join(", ")}.`);
  process.exit(2);
}
const story = join("examples", name, "main.ts");
const { status } = spawnSync(process.execPath, ["--conditions=@toolwright/source", story], { cwd: root, stdio: "inherit" });
process.exit(status ?? 1);
