import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createServerDatabase } from "@toolwright/postgres/testing";
import type { Io } from "../src/io.ts";
import { runProgram } from "../src/program.ts";
import { Browser } from "./browser.ts";
import { createTestIo } from "./test-io.ts";

export interface ServedHere {
  /** Folder in which it and its commands run. */
  readonly root: string;
  readonly env: Readonly<Record<string, string>>;
  /** Origin of the server. */
  readonly url: string;
  /** What the server said when it was ready. */
  readonly greeting: string;
  /** All that the server and the commands said beside their answers. */
  said(): string;
  /** Runs a command on the same store; resolves with what it printed. */
  run(...argv: string[]): Promise<string>;
  /** A browser in which a new person of the tenant is signed in. */
  person(email: string, options?: { readonly role?: string; readonly tenant?: string }): Promise<Browser>;
  stop(): Promise<void>;
}

export const password = "correct horse battery";

/** `toolwright serve` in this process, on a folder of its own and a free port; its store is on the server of the test run, which takes less than an embedded one. */
export async function serveHere(
  argv: readonly string[],
  env: Readonly<Record<string, string>> = {},
  store: "embedded" | "server" = "server",
): Promise<ServedHere> {
  const database = store === "server" && env.DATABASE_URL === undefined ? await createServerDatabase() : undefined;
  const root = await mkdtemp(join(tmpdir(), "toolwright-serve-"));
  const stop = new AbortController();
  const said: string[] = [];
  let ready = () => {};
  const isReady = new Promise<void>((resolve) => {
    ready = resolve;
  });
  const all = { HOME: root, TOOLWRIGHT_STATE: join(root, "state"), ...(database && { DATABASE_URL: database.url }), ...env };
  const io = (given: Partial<Io>) =>
    createTestIo(root, {
      ...given,
      env: all,
      err: (text) => void said.push(text),
    }).io;
  let greeting = "";
  const serving = runProgram(
    ["serve", "--port", "0", ...argv],
    io({
      out(text) {
        greeting += text;
        ready();
      },
      signal: stop.signal,
    }),
  );
  await Promise.race([isReady, serving.then((code) => Promise.reject(new Error(`serve ended with ${code}: ${said.join("")}`)))]);
  const url = /MCP +(http\S+)\/mcp/.exec(greeting)?.[1] ?? "";
  const run = async (...command: string[]) => {
    let printed = "";
    const code = await runProgram(
      command,
      io({
        out(text) {
          printed += text;
        },
      }),
    );
    if (code !== 0) throw new Error(`${command.join(" ")} ended with ${code}: ${said.at(-1)}`);
    return printed.trim();
  };
  return {
    root,
    env: all,
    url,
    greeting,
    said: () => said.join(""),
    run,
    async person(email, { role = "member", tenant = "default" } = {}) {
      const browser = new Browser();
      const token = new URL(await run("users", "invite", email, "--role", role, "--tenant", tenant)).searchParams.get("token") ?? "";
      await browser.post(`${url}/auth/accept`, { token, name: "A person", password });
      return browser;
    },
    async stop() {
      stop.abort();
      await serving;
      await rm(root, { recursive: true, force: true });
      await database?.drop();
    },
  };
}
