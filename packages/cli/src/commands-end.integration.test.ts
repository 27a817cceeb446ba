import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { everyCommand, untilStopped } from "../test/every-command.ts";
import { type ServedHere, serveHere } from "../test/serve-here.ts";
import { runIn } from "../test/test-io.ts";
import { exitCodes } from "./exit-code.ts";

describe("beside a server, with nobody at a terminal and nothing on stdin, a command ends by itself", () => {
  let served: ServedHere;
  beforeAll(async () => {
    served = await serveHere([], {}, "embedded");
  }, 60_000);
  afterAll(() => served.stop());

  test.each(everyCommand.filter(({ name }) => !untilStopped.has(name)))("$name", async ({ argv }) => {
    const { code, err } = await runIn(served.root, argv, { env: served.env });
    expect(Object.values(exitCodes), err).toContain(code);
    expect(code, err).not.toBe(exitCodes.defect);
  });

  test.each(["worker", "log follow"])("%s ends at a signal", async (name) => {
    const stop = new AbortController();
    const say = () => stop.abort();
    const signal = stop.signal;
    const ending = runIn(served.root, name.split(" "), {
      ...{ env: served.env, signal, err: say, out: say },
    });
    await served.run("call", "file_list", "--path", ".");
    stop.abort();
    expect((await ending).code).toBe(exitCodes.done);
  });
});

describe("a process that chats", () => {
  const program = fileURLToPath(new URL("../bin/toolwright.js", import.meta.url));
  let root: string;
  let env: NodeJS.ProcessEnv;
  beforeAll(async () => {
    root = await mkdtemp(join(tmpdir(), "toolwright-ends-"));
    env = { PATH: process.env.PATH, HOME: root, XDG_CACHE_HOME: process.env.TOOLWRIGHT_TEST_CACHE, TOOLWRIGHT_CONSOLE: "off" };
    await writeFile(join(root, "words.txt"), "Not for chat.\n");
  });
  afterAll(() => rm(root, { recursive: true, force: true, maxRetries: 5 }));

  const begin = (words: readonly string[], stdin: "ignore" | "pipe" = "ignore", more: NodeJS.ProcessEnv = {}) => {
    const child = spawn(process.execPath, [program, ...words], { cwd: root, env: { ...env, ...more }, stdio: [stdin, "pipe", "pipe"] });
    let said = "";
    for (const stream of [child.stdout, child.stderr])
      stream?.on("data", (chunk: Buffer) => {
        said += chunk;
      });
    const ended = once(child, "close").then(([code]) => ({ code: code as number | null, said }));
    return { child, ended, said: () => said };
  };
  const chat = ["chat", "assistant", "Hello."];

  test("ends without a terminal, alone and beside a server, with stdin closed, empty and open", async () => {
    const alone = await begin(chat).ended;
    expect(alone).toMatchObject({ code: exitCodes.done, said: expect.stringContaining("You wrote: Hello.") });

    const server = begin(["serve", "--port", "0"]);
    while (!server.said().includes("Ctrl+C")) await once(server.child.stdout ?? server.child, "data");
    const closed = await begin(chat).ended;
    const piped = begin(chat, "pipe");
    piped.child.stdin?.end();
    const open = begin(chat, "pipe");
    for (const each of [closed, await piped.ended, await open.ended])
      expect(each).toMatchObject({ code: exitCodes.done, said: expect.stringContaining("You wrote: Hello.") });
    server.child.kill("SIGTERM");
    expect(await server.ended).toMatchObject({ code: exitCodes.done });
  }, 120_000);

  test("ends at a signal while its model does not answer", async () => {
    const asked = Promise.withResolvers<void>();
    const model = createServer(() => asked.resolve());
    await new Promise<void>((resolve) => model.listen(0, "127.0.0.1", resolve));
    const url = `http://127.0.0.1:${(model.address() as AddressInfo).port}/v1`;
    const waiting = begin(chat, "ignore", { TOOLWRIGHT_MODEL: "openai-compatible/slow", TOOLWRIGHT_MODEL_URL: url });
    await Promise.race([asked.promise, waiting.ended.then(({ said }) => Promise.reject(new Error(said)))]);
    waiting.child.kill("SIGTERM");
    const { code } = await waiting.ended;
    expect(code).not.toBe(exitCodes.done);
    model.closeAllConnections();
    model.close();
  }, 60_000);
});
