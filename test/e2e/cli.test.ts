import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { delimiter, join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { finish, Place, waitForText } from "./run-cli.ts";
import { canSandbox } from "./sandbox-here.ts";

const sandboxed = await canSandbox();

let place: Place;
beforeEach(async () => {
  place = await Place.make();
  await mkdir(place.path("workspace"));
  await writeFile(place.path("workspace/a.txt"), "hello\nworld\n");
});
afterEach(() => place.remove());

const policy = (text: string) => writeFile(place.path("policy.yaml"), text);
const freely = "version: 1\nautonomy: full\ncommands: { mode: full, block_high_risk: false, approve_medium_risk: false }\n";

test("a call takes its input from stdin", async () => {
  const { code, out } = await place.run(["call", "file_read", "-", "--json"], { stdin: '{"path": "a.txt", "startLine": 2}' });
  expect(code).toBe(0);
  expect(JSON.parse(out)).toMatchObject({ status: "done", tool: "file_read", output: { text: expect.stringMatching(/^world\n?$/) } });
});

test("the exit code of a call that failed is 1", async () => {
  const { code, out, err } = await place.run(["call", "file_read", "--path", "none.txt"]);
  expect(out + err).toMatch(/file_not_found/);
  expect(code).toBe(1);
});

test.runIf(sandboxed)("SIGINT cancels the running call, ends its processes, and the exit code is 5", async () => {
  await policy(freely);
  const child = place.start(["call", "exec", "--command", "echo started; sleep 4242", "--policy", "policy.yaml"]);
  await waitForText(child, /started/);
  const ended = finish(child);
  child.kill("SIGINT");
  const { code, err } = await ended;
  expect(err).toMatch(/Cancelled: /);
  expect(code).toBe(5);
  await expect.poll(() => processesNamed("sleep 4242")).toEqual([]);
});

test("--verbose shows where an error came from", async () => {
  const { err } = await place.run(["call", "file_raed", "--verbose"]);
  expect(err).toMatch(/^\s+at .*find-tool\.ts/m);
});

test.runIf(sandboxed)(
  "pain 13, X4: ten megabytes of output come bounded, with a handle to the whole",
  async () => {
    await policy(freely);
    const command = "head -c 10000000 /dev/zero | tr '\\0' x";
    const { code, out } = await place.run(["call", "exec", "--command", command, "--policy", "policy.yaml", "--json"]);
    const result = JSON.parse(out) as { output: { stdout: string; truncated: boolean; artifacts: string[] } };
    expect(code).toBe(0);
    expect(result.output.truncated).toBe(true);
    expect(result.output.stdout.length).toBeLessThan(100_000);
    const whole = await place.run(["artifact", result.output.artifacts[0] ?? ""]);
    expect([whole.code, whole.out.length]).toEqual([0, 10_000_000]);
  },
  60_000,
);

test("a new tool works as it was written, passes the checks, and is not written over", async () => {
  const made = await place.run(["new", "tool", "word_count"]);
  expect([made.code, made.out]).toEqual([0, `${place.path("tools/word-count.tool.ts")}\n`]);
  expect(made.err).toContain("toolwright test ");
  const checked = await place.run(["test"]);
  expect(checked.out).toMatch(/1 file, \d+ checks: 0 failed/);
  expect(checked.code).toBe(0);
  const called = await place.run(["call", "word_count", "--path", "a.txt", "--longest", "--json"]);
  expect(JSON.parse(called.out)).toMatchObject({ status: "done", output: { words: 2, longest: "hello" } });
  const before = await readFile(place.path("tools/word-count.tool.ts"), "utf8");
  const again = await place.run(["new", "tool", "word_count"]);
  expect(again.err).toMatch(/is there already, and is left as it is/);
  expect(again.code).toBe(2);
  expect(await readFile(place.path("tools/word-count.tool.ts"), "utf8")).toBe(before);
});

test("progress, output and log of a tool go to stderr, its result to stdout", async () => {
  await mkdir(place.path("tools"));
  await writeFile(
    place.path("tools/talk.tool.ts"),
    `import { defineTool } from "@toolwright/engine";
import { z } from "zod";
export default defineTool({
  name: "talk",
  description: "Says what it does while it does it.",
  input: z.object({}),
  output: z.object({ ok: z.boolean() }),
  run(_, ctx) {
    ctx.progress(1, 2, "half way");
    ctx.output.append("working\\u001b[2J\\n");
    ctx.log("warn", "careful");
    return { ok: true };
  },
});
`,
  );
  const { code, out, err } = await place.run(["call", "talk", "--tools", "tools"]);
  expect([code, JSON.parse(out)]).toEqual([0, { ok: true }]);
  for (const words of ["1/2 half way\n", "working<U+001B>[2J\n", "warn: careful\n"]) expect(err).toContain(words);
});

test("a reader that has had enough is no error", async () => {
  const child = place.start(["list", "--json"]);
  child.stdout.destroy();
  const code = await new Promise((resolve) => child.once("close", resolve));
  expect(code).toBe(0);
});

/** A Node below the oldest one that can run the sources, if this machine has one. */
const oldNode = (process.env.PATH ?? "")
  .split(delimiter)
  .map((folder) => join(folder, "node"))
  .find((path) => existsSync(path) && /^v(1\d|2[01])\./.test(execFileSync(path, ["--version"], { encoding: "utf8" })));

describe.skipIf(oldNode === undefined)("started by an old Node", () => {
  const node = oldNode ?? "";

  test("the pinned one takes over, and passes output and exit code on", async () => {
    const { code, err } = await place.run(["call", "file_raed"], { node });
    expect(err).toMatch(/Did you mean "file_read"/);
    expect(code).toBe(2);
  });

  test("a signal reaches it, and a killed parent ends it", async () => {
    const child = place.start(["serve", "--port", "0"], { node });
    const url = /http:\S+/.exec(await waitForText(child, /MCP +http:\S+\n/))?.[0] ?? "";
    expect((await fetch(new URL("/health", url))).status).toBe(200);
    child.kill("SIGKILL");
    await expect
      .poll(
        () =>
          fetch(new URL("/health", url)).then(
            () => "up",
            () => "down",
          ),
        { timeout: 10_000 },
      )
      .toBe("down");
  });
});

function processesNamed(words: string): string[] {
  const pids = execFileSync("ls", ["/proc"], { encoding: "utf8" })
    .split("\n")
    .filter((name) => /^\d+$/.test(name));
  return pids.filter((pid) => {
    try {
      return readFileSync(`/proc/${pid}/cmdline`, "utf8").replaceAll("\0", " ").startsWith(words);
    } catch {
      return false;
    }
  });
}
