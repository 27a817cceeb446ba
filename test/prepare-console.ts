import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";

/** The console as a server would build it; nothing where it is built already. */
export default function prepare(): void {
  const script = fileURLToPath(new URL("../web/build.ts", import.meta.url));
  const { status } = spawnSync(process.execPath, [script], { stdio: ["ignore", "ignore", "inherit"], timeout: 300_000 });
  if (status !== 0) throw new Error("The console could not be built; the words are above.");
}
