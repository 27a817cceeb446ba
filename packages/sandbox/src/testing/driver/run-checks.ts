import assert from "node:assert/strict";
import { chmod, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { ToolwrightError } from "@toolwright/engine";
import { type DriverCheck, runToEnd, specFor, waitForOutput } from "./conformance-run.ts";

/** Variables that reach a child only when somebody copies the environment of the server. */
const hostileVariables = Array.from({ length: 40 }, (_, index) => [`HOSTILE_${index}`, `leak-${index}`] as const);
const ownVariables = new Set(["PATH", "HOME", "LANG", "TMPDIR", "PWD", "SHLVL", "_", "TOOLWRIGHT_RUN"]);
const awkwardText = `it's "quoted" $HOME \`x\` \\n é 漢 ; & | * ?\n\ttabbed`;

const isCode = (code: string) => (error: unknown) => ToolwrightError.is(error) && error.code === code;

export const runChecks: readonly DriverCheck[] = [
  {
    name: "output comes while the program runs, stdout and stderr apart",
    area: "run",
    async run(fixture) {
      const handle = await fixture.driver.start(specFor(fixture, "echo first; read line; echo got $line >&2", { stdin: "pipe" }));
      await waitForOutput(handle, "first");
      const streams: string[] = [];
      handle.onOutput((stream, chunk) => streams.push(`${stream}:${Buffer.from(chunk)}`));
      await handle.write("second\n");
      await handle.exited;
      assert.equal(streams.join(""), "stderr:got second\n");
    },
  },
  {
    name: "output that came before anybody listened is not lost",
    area: "run",
    async run(fixture) {
      const handle = await fixture.driver.start(specFor(fixture, "echo early"));
      await handle.exited;
      let seen = "";
      handle.onOutput((_stream, chunk) => {
        seen += Buffer.from(chunk).toString();
      });
      assert.equal(seen, "early\n");
    },
  },
  {
    name: "a slow reader loses nothing of a program that has ended",
    area: "run",
    async run(fixture) {
      const handle = await fixture.driver.start(specFor(fixture, "head -c 400000 /dev/zero"));
      await runToEnd(fixture, "sleep 1");
      let bytes = 0;
      handle.onOutput((_stream, chunk) => {
        bytes += chunk.length;
      });
      await handle.exited;
      assert.equal(bytes, 400_000);
    },
  },
  ...[0, 3, 127].map(
    (code): DriverCheck => ({
      name: `exit code ${code} is reported`,
      area: "run",
      async run(fixture) {
        const { exit } = await runToEnd(fixture, `exit ${code}`);
        assert.deepEqual([exit.exitCode, exit.signal, exit.reason], [code, null, "exited"]);
      },
    }),
  ),
  {
    name: "death by a signal is reported as that signal",
    area: "run",
    async run(fixture) {
      const { exit } = await runToEnd(fixture, "kill -TERM $$");
      assert.deepEqual([exit.exitCode, exit.signal, exit.reason], [null, "SIGTERM", "exited"]);
    },
  },
  {
    name: "standard input: closed reads as empty",
    area: "run",
    run: async (fixture) => assert.equal((await runToEnd(fixture, "cat; echo end")).stdout, "end\n"),
  },
  {
    name: "standard input: a text larger than a pipe arrives whole",
    area: "run",
    run: async (fixture) =>
      assert.equal((await runToEnd(fixture, "wc -c", { stdin: { text: "x".repeat(1_000_000) } })).stdout.trim(), "1000000"),
  },
  {
    name: "standard input that nobody reads does not hold up the end",
    area: "run",
    run: async (fixture) => assert.equal((await runToEnd(fixture, "exit 5", { stdin: { text: "x".repeat(1_000_000) } })).exit.exitCode, 5),
  },
  {
    name: "R-EX-12 words of an argv are never read as shell text",
    area: "run",
    run: async (fixture) => assert.equal((await runToEnd(fixture, ["printf", "%s", awkwardText])).stdout, awkwardText),
  },
  {
    name: "a shell line runs with its exact text",
    area: "run",
    run: async (fixture) => assert.equal((await runToEnd(fixture, `printf '%s' 'a  b\n"c"\\d'`)).stdout, 'a  b\n"c"\\d'),
  },
  {
    name: "bytes that are not text come through unchanged",
    area: "run",
    async run(fixture) {
      const handle = await fixture.driver.start(specFor(fixture, "printf '\\377\\000\\200'"));
      const bytes: number[] = [];
      handle.onOutput((_stream, chunk) => bytes.push(...chunk));
      await handle.exited;
      assert.deepEqual(bytes, [255, 0, 128]);
    },
  },
  {
    name: "the workdir is a folder of the workspace",
    area: "run",
    async run(fixture) {
      await runToEnd(fixture, "mkdir 'a b'");
      assert.equal((await runToEnd(fixture, 'basename "$PWD"; echo x > made; ls', { workdir: "a b" })).stdout, "a b\nmade\n");
      await assert.rejects(fixture.driver.start(specFor(fixture, "true", { workdir: "../.." })), isCode("spawn_failed"));
    },
  },
  {
    name: "R-EX-7 the environment starts from nothing: 40 hostile variables of the server, none appears",
    area: "run",
    async run(fixture) {
      for (const [name, value] of hostileVariables) process.env[name] = value;
      try {
        const { stdout } = await runToEnd(fixture, "env -0 | tr '\\0' '\\n'", { env: { WANTED: "yes" } });
        const names = stdout
          .trim()
          .split("\n")
          .map((line) => line.split("=")[0]!);
        assert.deepEqual(
          names.filter((name) => !ownVariables.has(name)),
          ["WANTED"],
        );
        assert.doesNotMatch(stdout, /leak-/);
      } finally {
        for (const [name] of hostileVariables) delete process.env[name];
      }
    },
  },
  {
    name: "values of variables arrive unchanged",
    area: "run",
    run: async (fixture) =>
      assert.equal((await runToEnd(fixture, "printf '%s' \"$VALUE\"", { env: { VALUE: awkwardText } })).stdout, awkwardText),
  },
  {
    name: "a variable name that a shell could read as code is refused",
    area: "run",
    run: (fixture) => assert.rejects(fixture.driver.start(specFor(fixture, "true", { env: { "A[$(id)]": "x" } })), isCode("spawn_failed")),
  },
  {
    name: "R-EX-8 a program of the workspace does not stand in for one of the system",
    area: "run",
    async run(fixture) {
      await writeFile(join(fixture.workspace, "ls"), "#!/bin/sh\necho hijacked\n");
      await chmod(join(fixture.workspace, "ls"), 0o755);
      assert.equal((await runToEnd(fixture, ["ls"])).stdout, "ls\n");
    },
  },
  {
    name: "a program that does not exist is spawn_failed",
    area: "run",
    run: (fixture) => assert.rejects(fixture.driver.start(specFor(fixture, ["no-such-program-here"])), isCode("spawn_failed")),
  },
  {
    name: "a missing workspace is workspace_missing",
    area: "run",
    async run(fixture) {
      await rm(fixture.workspace, { recursive: true });
      await assert.rejects(fixture.driver.start(specFor(fixture, "true")), isCode("workspace_missing"));
    },
  },
  {
    name: "Node, git and the system's tools are there",
    area: "run",
    async run(fixture) {
      const { stdout } = await runToEnd(fixture, "node -p process.execPath && git init -q . && git status --short && ls -d .git");
      assert.equal(stdout, `${process.execPath}\n.git\n`);
    },
  },
  {
    name: "R-EX-11 a flood of output waits for its reader instead of filling memory",
    area: "run",
    async run(fixture) {
      const total = 256 * 1024 * 1024;
      const before = process.memoryUsage.rss();
      const handle = await fixture.driver.start(specFor(fixture, `head -c ${total} /dev/zero`, { timeoutMs: 55_000 }));
      await runToEnd(fixture, "sleep 0.5");
      let bytes = 0;
      let highest = process.memoryUsage.rss();
      handle.onOutput((_stream, chunk) => {
        bytes += chunk.length;
        highest = Math.max(highest, process.memoryUsage.rss());
      });
      await handle.exited;
      assert.equal(bytes, total);
      assert.ok(highest - before < 150 * 1024 * 1024, `grew by ${highest - before} bytes`);
    },
  },
  {
    name: "a hundred runs at a time do not mix",
    area: "run",
    async run(fixture) {
      const runs = Array.from({ length: 100 }, (_, index) =>
        runToEnd(fixture, `read line; echo $line-${index}`, { stdin: { text: `in${index}\n` } }),
      );
      assert.deepEqual(
        (await Promise.all(runs)).map(({ stdout }) => stdout),
        Array.from({ length: 100 }, (_, index) => `in${index}-${index}\n`),
      );
    },
  },
];
