import { type ChildProcess, execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, test } from "vitest";

const run = promisify(execFile);
const program = fileURLToPath(new URL("../bin/toolwright.js", import.meta.url));
const packages = fileURLToPath(new URL("../../", import.meta.url));
const recorder = `
import { appendFileSync } from "node:fs";
import { registerHooks } from "node:module";
registerHooks({ load(url, context, next) { appendFileSync(process.env.LOADED, url + "\\n"); return next(url, context); } });
`;

let root: string;
beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), "toolwright-loaded-"));
  await mkdir(join(root, "workspace"));
  await writeFile(join(root, "recorder.mjs"), recorder);
});
afterAll(() => rm(root, { recursive: true, force: true }));

/** Files of this program, packages and modules of Node, each once. Under a recorder the sources run, and no bundle hides their names. */
async function loadedBy(...words: readonly string[]): Promise<readonly string[]> {
  const list = join(root, "loaded");
  const env = { PATH: process.env.PATH, HOME: root, XDG_CACHE_HOME: process.env.TOOLWRIGHT_TEST_CACHE, LOADED: list };
  const from = pathToFileURL(join(root, "recorder.mjs")).href;
  await run(process.execPath, ["--import", from, program, ...words], { cwd: root, env });
  const urls = (await readFile(list, "utf8")).trim().split("\n");
  await rm(list);
  return [...new Set(urls.map(nameOf))];
}

function nameOf(url: string): string {
  if (url.startsWith("node:")) return url;
  const path = fileURLToPath(url);
  const [, name] = /.*node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(path) ?? [];
  return name ?? path.replace(packages, "");
}

test.each(["--version", "--help"])("%s loads the declarations of commands and nothing that they run", async (word) => {
  const loaded = await loadedBy(word);
  const others = loaded.filter(
    (name) =>
      !/^\w+\/src\/operations\/generated\/views\.ts$|^cli\/(bin\/|src\/(main|program|version|cli-error|exit-code|stdio\/read-stdin|client-config\/client-names)\.ts$|src\/generated\/operation-commands\.ts$|src\/commands\/(operations\/(declare-operations|generated-command)|.+\/(define-[\w-]+|[\w-]+-options)|define)\.ts$)/.test(
        name,
      ),
  );
  expect(others.filter((name) => !name.startsWith("node:"))).toEqual(["commander"]);
  expect(loaded.length).toBeLessThan(60);
});

test("a call loads neither servers, nor the other doors, nor parsers that it has no use for", async () => {
  const loaded = await loadedBy("call", "file_list", "--path", ".");
  for (const name of ["@toolwright/engine", "kysely"])
    expect(loaded.some((each) => each.includes(name.replace("@toolwright/", "")))).toBe(true);
  const needless =
    /^(pg|pg-boss|better-auth|@better-auth.*|undici|yaml|cron-parser|luxon|linkedom|@modelcontextprotocol.*|node:(http|https|tls|http2))$/;
  expect(loaded.filter((name) => needless.test(name))).toEqual([]);
  // Of a door only what its own capability says of itself.
  expect(loaded.filter((name) => /^(doors|cli\/src\/serve)\//.test(name))).toEqual(["doors/src/mcp/client.ts"]);
});

describe("beside a server", () => {
  let server: ChildProcess;
  beforeAll(async () => {
    const env = { PATH: process.env.PATH, HOME: root, XDG_CACHE_HOME: process.env.TOOLWRIGHT_TEST_CACHE, TOOLWRIGHT_CONSOLE: "off" };
    server = spawn(process.execPath, [program, "serve", "--port", "0"], { cwd: root, env, stdio: ["ignore", "pipe", "ignore"] });
    for await (const chunk of server.stdout ?? []) if (String(chunk).includes("is ready")) break;
  });
  afterAll(async () => {
    server.kill("SIGTERM");
    await once(server, "close");
  });

  test.each(["rooms list", "list", "call file_list --path ."])("%s loads no schema, no engine and no store", async (line) => {
    const loaded = await loadedBy(...line.split(" "));
    expect(loaded).toContain("cli/src/commands/context/unix-fetch.ts");
    const ours = loaded.filter((name) => /^(engine|commands|postgres|sandbox|tools|agents)\/src\//.test(name));
    // What reads text, errors and views.
    const light =
      /^(?:agents|engine)\/src\/(entries\/(errors|visible-text)|operations\/generated\/views|contract\/(errors|generated\/subject-errors|minute-of|nearest-name|protection-note|visible-text)|operations\/views\/[\w-]+)\.ts$/;
    expect(ours.filter((name) => !light.test(name))).toEqual([]);
    expect(loaded.filter((name) => /^(zod|kysely|unbash|@electric-sql.*|yaml)$/.test(name))).toEqual([]);
    expect(loaded.length).toBeLessThan(110);
  });
});

interface Manifest {
  readonly root: string;
  readonly sources: readonly (readonly [string, string])[];
  readonly modules: readonly (readonly [string, string, boolean])[];
}

test("a bundle counts as long as its sources are as they were, where they were", async () => {
  const { isFresh, stampOf } = (await import(new URL("../bin/bundle.js", import.meta.url).href)) as {
    isFresh(root: string, manifest: Manifest | undefined): boolean;
    stampOf(path: string): string;
  };
  const folder = join(root, "node_modules/.toolwright/1-1");
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, "main.js"), "");
  await writeFile(join(root, "source.ts"), "1;");
  const manifest: Manifest = {
    root,
    sources: [["source.ts", stampOf(join(root, "source.ts"))]],
    modules: [["file:///x", "1-1/main.js", true]],
  };
  expect(isFresh(root, undefined)).toBe(false);
  expect(isFresh(root, manifest)).toBe(true);
  expect(isFresh(root, { ...manifest, root: `${root}/elsewhere` })).toBe(false);
  await rm(join(folder, "main.js"));
  expect(isFresh(root, manifest)).toBe(false);
  await writeFile(join(folder, "main.js"), "");
  await writeFile(join(root, "source.ts"), "12;");
  expect(isFresh(root, manifest)).toBe(false);
  await rm(join(root, "source.ts"));
  expect(isFresh(root, manifest)).toBe(false);
});

test.each([
  ["the sources ask for is good in the bundle", ["--import", "data:text/javascript,"], []],
  ["the bundle asks for is good in the sources", [], ["--import", "data:text/javascript,"]],
])("an approval that %s", async (_, asking, running) => {
  const env = { PATH: process.env.PATH, HOME: root, XDG_CACHE_HOME: process.env.TOOLWRIGHT_TEST_CACHE };
  const toolwright = (options: readonly string[], ...words: readonly string[]) =>
    run(process.execPath, [...options, program, ...words], { cwd: root, env });
  await writeFile(join(root, "workspace/old.txt"), "");
  const asked = await toolwright(asking, "call", "file_delete", "--path", "old.txt", "--json").catch((error: { stdout: string }) => error);
  const { approval } = JSON.parse(asked.stdout) as { approval: { id: string } };
  await toolwright(running, "approvals", "approve", approval.id, "--run");
  expect(await readdir(join(root, "workspace"))).not.toContain("old.txt");
});
