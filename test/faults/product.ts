import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const shim = fileURLToPath(new URL("../../packages/cli/bin/toolwright.js", import.meta.url));
const faultTools = fileURLToPath(new URL("fault-tools.ts", import.meta.url));

/** The product as it is used from outside, in a folder of its own. */
export interface Product {
  readonly program: string;
  readonly args: readonly string[];
  readonly root: string;
  readonly env: NodeJS.ProcessEnv;
}

export interface ProductPlace {
  readonly root: string;
  readonly cache: string;
  /** Where the tools write what they did. */
  readonly effects: string;
  readonly url?: string | undefined;
}

/** Lays out the folder: a policy that asks for little, and the tools whose effects can be counted. */
export function layOutProduct({ root, cache, effects, url }: ProductPlace, tools: readonly string[]): Product {
  for (const folder of ["tools", "workspace"]) mkdirSync(join(root, folder), { recursive: true });
  writeFileSync(join(root, "policy.yaml"), "version: 1\nautonomy: full\n");
  const source = `import { faultTools } from ${JSON.stringify(faultTools)};\n`;
  for (const name of tools) {
    const find = `faultTools(${JSON.stringify(effects)}).find(({ name }) => name === ${JSON.stringify(name)})`;
    writeFileSync(join(root, `tools/${name}.tool.ts`), `${source}export default ${find};\n`);
  }
  const { PATH, TMPDIR } = process.env;
  const env: NodeJS.ProcessEnv = {
    PATH,
    TMPDIR,
    HOME: join(root, "home"),
    XDG_CACHE_HOME: join(cache, ".."),
    TOOLWRIGHT_STATE: root,
    TOOLWRIGHT_TOOLS: join(root, "tools"),
    TOOLWRIGHT_WORKSPACE: join(root, "workspace"),
    ...(url !== undefined && { DATABASE_URL: url }),
  };
  return { program: process.execPath, args: [shim], root, env };
}

export function startServing({ program, args, root, env }: Product, port: number): ChildProcess {
  const words = [...args, "serve", "--port", String(port), "--policy", "policy.yaml"];
  return spawn(program, words, { cwd: root, env, stdio: ["ignore", "pipe", process.env.FAULTS_VERBOSE ? "inherit" : "ignore"] });
}

/** Resolves when it says that it serves, or has ended. */
export async function untilServing(child: ChildProcess): Promise<void> {
  const ended = once(child, "exit");
  const serving = new Promise<void>((resolve) => {
    let said = "";
    child.stdout?.on("data", (chunk: Buffer) => {
      said = (said + chunk).slice(-10_000);
      if (/MCP +http/.test(said)) resolve();
    });
  });
  await Promise.race([serving, ended]);
}

export async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  if (typeof address !== "object" || address === null) throw new Error("No port is free.");
  return address.port;
}
