// Runs one of the examples: npm run example NAME. Words after the name are for the example.
import { spawnSync } from "node:child_process";
import { existsSync, globSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { installOnDemand } from "../test/install-on-demand.ts";
import { productArguments } from "../test/product-arguments.ts";

const root = fileURLToPath(new URL("..", import.meta.url));
const [name = "", ...words] = process.argv.slice(2);
const stories = globSync("examples/*/main.ts", { cwd: root })
  .map((path) => path.split("/")[1] ?? "")
  .sort();

if (!stories.includes(name)) {
  console.error(`${name === "" ? "No example is named" : `There is no example "${name}"`}. Name one of: ${stories.join(", ")}.`);
  process.exit(2);
}
// What a framework needs is installed beside its example, when somebody runs it.
const folder = join(root, "examples", name);
if (existsSync(join(folder, "package-lock.json"))) await installOnDemand(folder);
const story = join("examples", name, "main.ts");
const { status } = spawnSync(process.execPath, [...productArguments, story, ...words], { cwd: root, stdio: "inherit" });
process.exit(status ?? 1);
