import { readdir, readFile, stat, writeFile } from "node:fs/promises";
import { afterEach, describe, expect, test } from "vitest";
import { Place, waitForText } from "./run-cli.ts";

/** Writes down the address of each module that a process loads. */
const recorder = `import { appendFileSync } from "node:fs";
import { registerHooks } from "node:module";
registerHooks({
  load(url, context, next) {
    appendFileSync(process.env.LOADED_MODULES, url + "\\n");
    return next(url, context);
  },
});
`;

let place: Place;
afterEach(() => place.remove());

async function record(store: "embedded" | "server"): Promise<NodeJS.ProcessEnv> {
  place = await Place.make(store);
  await writeFile(place.path("recorder.mjs"), recorder);
  await writeFile(place.path("policy.yaml"), "version: 1\n");
  return { NODE_OPTIONS: `--import=${place.path("recorder.mjs")}`, LOADED_MODULES: place.path("loaded") };
}

/** One small file, with which a capability says what its effects come to. */
const declaration = /\/doors\/(src|dist)\/mcp\/client\.[jt]s$/;

/** Names of the packages that were loaded; our own by their folders. */
async function loadedPackages(): Promise<readonly string[]> {
  const urls = (await readFile(place.path("loaded"), "utf8"))
    .trim()
    .split("\n")
    .filter((url) => !declaration.test(url));
  return [...new Set(urls.flatMap((url) => /.*\/(?:node_modules|packages)\/((?:@[^/]+\/)?[^/]+)\//.exec(url)?.[1] ?? []))].sort();
}

const pglite = "@electric-sql/pglite";
const server = ["pg", "pg-pool", "pg-protocol"];
const store = ["postgres", "kysely", pglite, ...server];
/** Large, and needed by few. */
const seldom = [
  "quickjs-emscripten-core",
  "pg-boss",
  "better-auth",
  "@better-auth/oauth-provider",
  "undici",
  "ai",
  "@ai-sdk/provider-utils",
];
const doors = ["doors", "@modelcontextprotocol/server"];

describe("a command loads what it needs and no more, for that is most of its time", () => {
  test.each([
    { name: "help", argv: ["--help"], on: "embedded", needed: "commander", never: [...store, ...seldom, ...doors, "sandbox", "yaml"] },
    {
      name: "a check of a policy",
      argv: ["policy", "check", "policy.yaml"],
      on: "embedded",
      needed: "yaml",
      never: [...store, ...seldom, ...doors, "sandbox"],
    },
    { name: "a list, embedded", argv: ["list"], on: "embedded", needed: pglite, never: [...server, ...seldom, ...doors] },
    { name: "a list, on a server", argv: ["list"], on: "server", needed: "pg", never: [pglite, ...seldom, ...doors] },
    { name: "a call", argv: ["call", "file_list"], on: "embedded", needed: pglite, never: [...server, ...seldom, ...doors] },
  ] as const)("$name", async ({ argv, on, needed, never }) => {
    const env = await record(on);
    const { code, err } = await place.run(argv, { env });
    expect(code, err).toBe(0);
    const loaded = await loadedPackages();
    expect(loaded).toContain(needed);
    expect(loaded.filter((name) => (never as readonly string[]).includes(name))).toEqual([]);
  });

  test("a server of tools without a worker and without people who sign in, and the hook that it answers", async () => {
    const env = await record("embedded");
    await waitForText(place.start(["serve", "--port", "0", "--no-worker"], { env }), /Stop it with Ctrl\+C/);
    const loaded = await loadedPackages();
    expect(loaded).toEqual(expect.arrayContaining([pglite, "doors"]));
    expect(loaded.filter((name) => [...server, ...seldom].includes(name))).toEqual([]);

    await writeFile(place.path("loaded"), "");
    const event = { hook_event_name: "PreToolUse", session_id: "s", cwd: "/tmp", tool_name: "Bash", tool_input: { command: "rm -rf ~" } };
    const hooked = await place.run(["hook", "claude-code"], { env, stdin: JSON.stringify(event) });
    expect(hooked.out).toContain('"deny"');
    // Its own two files: an agent waits for them before each of its tools.
    const files = (await readFile(place.path("loaded"), "utf8")).trim().split("\n");
    expect(files.filter((url) => url.startsWith("file:") && !/\/bin\/[a-z-]+\.js$|recorder\.mjs$/.test(url))).toEqual([]);
  });
});

describe("compiled code", () => {
  test("is kept in a folder of the user's own, where nobody else can put some", async () => {
    place = await Place.make("server");
    const cache = place.path("cache");
    expect((await place.run(["--version"], { env: { XDG_CACHE_HOME: cache, TMPDIR: place.path() } })).code).toBe(0);
    expect((await stat(place.path("cache/toolwright/compiled"))).mode & 0o077).toBe(0);
    expect(await readdir(place.path())).not.toContain("node-compile-cache");
  });

  test("is done without where there can be no such folder", async () => {
    place = await Place.make("server");
    await writeFile(place.path("file"), "");
    expect(await place.run(["--version"], { env: { XDG_CACHE_HOME: place.path("file") } })).toMatchObject({ code: 0, err: "" });
  });
});
