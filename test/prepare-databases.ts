import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

/**
 * One PostgreSQL server and one embedded template for the whole run; workers find them in the environment. They belong to a process of their
 * own, which ends when this one does, however that ends.
 */
export default async function prepare(): Promise<() => Promise<void>> {
  const main = fileURLToPath(new URL("databases-main.ts", import.meta.url));
  const child = spawn(process.execPath, ["--conditions=@toolwright/source", main], { stdio: ["pipe", "pipe", "inherit"] });
  const gone = once(child, "exit");
  const [line] = (await Promise.race([
    once(createInterface({ input: child.stdout }), "line"),
    gone.then(() => Promise.reject(new Error("The databases for the tests could not be prepared; the words are above."))),
  ])) as [string];
  Object.assign(process.env, JSON.parse(line));
  return async () => {
    child.stdin.end();
    await gone;
  };
}
