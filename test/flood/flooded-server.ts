import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { writeFloodFiles } from "./flood-kinds.ts";

const shim = fileURLToPath(new URL("../../packages/cli/bin/toolwright.js", import.meta.url));

/** A `toolwright serve` in a process of its own, with keys of two tenants, and a page that the browsers of a flood open. */
export interface FloodedServer {
  readonly url: string;
  readonly page: string;
  /** Keys of the tenant that floods: of a viewer, and of who may call everything and manage tools and documents. */
  readonly viewer: string;
  readonly member: string;
  /** A viewer's key of the tenant that is to notice nothing. */
  readonly other: string;
  stop(): Promise<void>;
}

/** `nodeOptions` go to the server's Node, such as `--cpu-prof`. */
export async function startFlooded(nodeOptions: readonly string[]): Promise<FloodedServer> {
  const root = mkdtempSync(join(tmpdir(), "toolwright-flood-"));
  const tenants = join(root, "tenants");
  for (const tenant of ["flooder", "other"]) writeFloodFiles(join(tenants, tenant));
  writeFileSync(join(tenants, "other/note.txt"), "A note.\n");
  const pages = createServer((_, answer) =>
    answer.setHeader("content-type", "text/html").end("<title>Flood</title><a href='/'>A link.</a>"),
  );
  await new Promise<void>((resolve) => pages.listen(0, "127.0.0.1", resolve));
  const host = `127.0.0.1:${(pages.address() as AddressInfo).port}`;
  writeFileSync(
    join(root, "policy.json"),
    JSON.stringify({ version: 1, autonomy: "full", network: { allow: [host], allow_ranges: ["127.0.0.1/32"] } }),
  );
  const { PATH, DATABASE_URL } = process.env;
  const env = {
    ...{ PATH, DATABASE_URL, HOME: root, TOOLWRIGHT_CONSOLE: "off" },
    ...{ TOOLWRIGHT_STATE: root, TOOLWRIGHT_WORKSPACE: join(root, "workspace"), TOOLWRIGHT_TENANT_WORKSPACES: tenants },
  };
  const start = (options: readonly string[], ...words: string[]) =>
    spawn(process.execPath, [...options, shim, ...words], { cwd: root, env, stdio: ["ignore", "pipe", "inherit"] });
  const run = async (...words: string[]) => {
    const child = start([], ...words);
    let said = "";
    child.stdout.on("data", (chunk: Buffer) => {
      said += chunk;
    });
    const [code] = await once(child, "close");
    if (code !== 0) throw new Error(`toolwright ${words.join(" ")} ended with ${code}.`);
    return said.trim();
  };
  const keyOf = async (tenant: string, ...permissions: string[]) => {
    const made: { readonly key: string } = JSON.parse(
      await run("keys", "create", "flood", "--tenant", tenant, "--json", "--permission", ...permissions),
    );
    return made.key;
  };
  for (const tenant of ["flooder", "other"]) await run("tenants", "create", tenant);
  const viewer = await keyOf("flooder", "*.*.read");
  const member = await keyOf("flooder", "*.*.*", "knowledge:manage", "catalogue:manage");
  const other = await keyOf("other", "*.*.read");
  const child = start(nodeOptions, "serve", "--port", "0", "--policy", "policy.json");
  const url = await new Promise<string>((resolve, reject) => {
    let said = "";
    child.stdout.on("data", (chunk: Buffer) => {
      said += chunk;
      const [, origin] = /MCP +(http:\/\/[^/\s]+)/.exec(said) ?? [];
      if (origin !== undefined) resolve(origin);
    });
    child.once("exit", () => reject(new Error("The server ended before it served.")));
  });
  return {
    ...{ url, viewer, member, other, page: `http://${host}/` },
    async stop() {
      pages.closeAllConnections();
      pages.close();
      // A profile is written at the end of a server that is asked to stop.
      child.kill(nodeOptions.length > 0 ? "SIGTERM" : "SIGKILL");
      await once(child, "exit");
      rmSync(root, { recursive: true, force: true });
    },
  };
}
