import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { openConsole } from "./open-console.ts";

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "toolwright-console-"));
});
afterEach(() => rmSync(root, { recursive: true }));

const folder = () => join(root, "console");
const build = (hash: string) => JSON.stringify({ hash, pages: {}, files: {} });

function write(hash: string): void {
  mkdirSync(folder());
  writeFileSync(join(folder(), "index.html"), "");
  writeFileSync(join(folder(), "build.json"), build(hash));
}

/** A console that is built by this program. */
function open(program: string | undefined, env: NodeJS.ProcessEnv = {}) {
  const script = join(root, "build.mjs");
  if (program !== undefined) writeFileSync(script, program);
  const said: string[] = [];
  const opened = openConsole({ env: { PATH: process.env.PATH, ...env }, err: (text) => said.push(text) }, { script, folder: folder() });
  const hash = () => {
    const state = opened.state();
    return state.state === "ready" ? state.files.build.hash : state.state;
  };
  return { ...opened, said, hash };
}

const builds = (hash: string) => `
  import { mkdirSync, writeFileSync } from "node:fs";
  console.error("console: building ...");
  console.error("a warning of a library");
  mkdirSync(${JSON.stringify("FOLDER")}, { recursive: true });
  writeFileSync("FOLDER/index.html", "");
  writeFileSync("FOLDER/build.json", ${JSON.stringify(build(hash))});`;
const here = (program: string) => program.replaceAll("FOLDER", folder());

describe("the console of a server", () => {
  test("is built beside it where there are sources, and opens when it is there", async () => {
    const opened = open(here(builds("new")));
    expect(opened.hash()).toBe("building");
    opened.start();
    expect(opened.hash()).toBe("building");
    await vi.waitFor(() => expect(opened.hash()).toBe("new"), 20_000);
    expect(opened.said.join("")).toContain("console: building ...");
  });

  test("is shown as it was built before, until a newer one is there", async () => {
    write("old");
    const opened = open(here(builds("new")));
    opened.start();
    expect(opened.hash()).toBe("old");
    await vi.waitFor(() => expect(opened.hash()).toBe("new"), 20_000);
  });

  test("says why it could not be built, and the one before goes on", async () => {
    const fails = 'console.error("no space left"); process.exit(1);';
    const without = open(fails);
    without.start();
    await vi.waitFor(() => expect(without.state()).toMatchObject({ state: "failed", words: "no space left" }), 20_000);
    expect(without.said.join("")).toMatch(/^The console could not be built, and everything else works\. no space left/);
    write("old");
    const before = open(fails);
    before.start();
    await vi.waitFor(() => expect(before.said.join("")).toContain("no space left"), 20_000);
    expect(before.hash()).toBe("old");
  });

  test("is what a published package carries", () => {
    write("published");
    const opened = open(undefined);
    opened.start();
    expect(opened.hash()).toBe("published");
  });

  test("is off where somebody says so, and nothing is built", () => {
    write("old");
    const opened = open('throw new Error("built");', { TOOLWRIGHT_CONSOLE: "off" });
    opened.start();
    expect(opened.hash()).toBe("off");
    expect(opened.said).toEqual([]);
  });

  test("takes no word that it does not know", () => {
    expect(() => open(undefined, { TOOLWRIGHT_CONSOLE: "no" })).toThrow('TOOLWRIGHT_CONSOLE is "no". Set it to on or to off');
  });

  test("leaves no build behind when the server stops", async () => {
    const opened = open('console.error("console: " + process.pid); setInterval(() => {}, 1000);');
    opened.start();
    const pid = await vi.waitFor(
      () => Number(/^console: (\d+)\n$/.exec(opened.said[0] ?? "")?.[1]) || expect.fail("It has not begun."),
      20_000,
    );
    opened.stop();
    await vi.waitFor(() => expect(() => process.kill(pid, 0)).toThrow(), 20_000);
  });
});
