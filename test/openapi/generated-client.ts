import { execFile } from "node:child_process";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { createToolwright } from "@toolwright/server";
import wordCount from "../../examples/first-tool/word-count.tool.ts";

const require = createRequire(import.meta.url);
const run = promisify(execFile);
const here = import.meta.dirname;
const key = "ann-secret";

interface Generator {
  default(source: string): Promise<readonly object[]>;
  astToString(ast: readonly object[]): string;
}

/** Generates a client from a served document, compiles a program that uses it, and runs that against the server; what goes wrong is a complaint. */
export async function useGeneratedClient(): Promise<readonly string[]> {
  const workspace = await mkdtemp(join(tmpdir(), "toolwright-openapi-"));
  await writeFile(join(workspace, "notes.txt"), "three short words");
  const toolwright = await createToolwright({
    workspace,
    tools: [wordCount],
    policy: "full",
    identify: (request) =>
      request.headers.get("authorization") === `Bearer ${key}`
        ? { tenant: "default", actor: { kind: "user", id: "ann" }, permissions: ["log:read"] }
        : undefined,
  });
  try {
    const { url } = await toolwright.listen({ port: 0 });
    await generate(url);
    const compiler = join(dirname(require.resolve("typescript/package.json")), "bin/tsc");
    await run(process.execPath, [compiler, "-p", join(here, "client")]);
    const { stdout } = await run(process.execPath, [join(here, "client/main.ts")], { env: { ...process.env, SERVER: url, KEY: key } });
    const expected = JSON.stringify({ words: 3, isRefused: true, name: "word_count" });
    return stdout === expected ? [] : [`The client says ${stdout} instead of ${expected}.`];
  } catch (error) {
    const { stdout = "", stderr = "", message } = error as Error & { readonly stdout?: string; readonly stderr?: string };
    return [`${message}\n${stdout}${stderr}`];
  } finally {
    await toolwright.close();
    await rm(workspace, { recursive: true });
  }
}

async function generate(url: string): Promise<void> {
  const { default: openapiTypescript, astToString } = (await import(import.meta.resolve("openapi-typescript"))) as Generator;
  const response = await fetch(`${url}/api/openapi.json`, { headers: { authorization: `Bearer ${key}` } });
  const generated = join(here, "node_modules/.generated");
  await mkdir(generated, { recursive: true });
  await writeFile(join(generated, "api.ts"), astToString(await openapiTypescript(await response.text())));
}
