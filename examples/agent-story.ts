// The story of the examples with other frameworks. A scripted model uses the tools of a real server: one call runs, one is denied, one waits for a person
// and runs when it is made again.
import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { serveScriptedModel } from "./scripted-model.ts";

export const wish = "Read notes.txt, empty the disk, and delete old.txt.";
const remove = { name: "file_delete", input: { path: "old.txt" } };
const script = [
  [{ name: "file_read", input: { path: "notes.txt" } }],
  [{ name: "exec", input: { command: "rm -rf /" } }],
  [remove],
  "I wait for your approval.",
  [remove],
  "Deleted.",
];

export interface AgentStory {
  /** Of the server, for clients of MCP. */
  readonly mcpUrl: string;
  /** Of the model, which speaks the chat completions of OpenAI. */
  readonly modelUrl: string;
  /** After the first run: checks what the model was told of its three calls, and approves the one that waits, at the server's REST door. */
  approve(): Promise<void>;
  /** After the second run: checks that the file is gone and that nobody called home. */
  end(): Promise<void>;
}

/** `prefix`: how the framework begins the names of tools. */
export async function beginStory({ prefix = "" } = {}): Promise<AgentStory> {
  const model = await serveScriptedModel(
    script.map((answer) => (typeof answer === "string" ? answer : answer.map(({ name, input }) => ({ name: prefix + name, input })))),
  );
  const folder = await mkdtemp(join(tmpdir(), "toolwright-story-"));
  await mkdir(join(folder, "workspace"));
  await writeFile(join(folder, "workspace/notes.txt"), "three short words");
  await writeFile(join(folder, "workspace/old.txt"), "to be deleted");
  const server = serveTools(folder);
  const mcpUrl = await readUrl(server);
  const told = () =>
    model.requests.at(-1)?.messages.flatMap(({ role, content }) => (role === "tool" ? [JSON.stringify(content)] : [])) ?? [];
  return {
    mcpUrl,
    modelUrl: model.url,
    async approve() {
      const [read = "", denied = "", waits = ""] = told();
      assert.match(read, /three short words/);
      assert.match(denied, /Denied/);
      assert.match(waits, /Not run yet: .*file_delete.* waits for a person's approval/);
      assert.ok(existsSync(join(folder, "workspace/old.txt")));
      const id = /apr_[\w-]{22}/.exec(waits)?.[0];
      const answer = { method: "POST", headers: { "content-type": "application/json" }, body: '{"outcome":{"kind":"approve"}}' };
      assert.equal((await fetch(new URL(`/api/approvals/${id}/answer`, mcpUrl), answer)).status, 200);
    },
    async end() {
      assert.match(told().at(-1) ?? "", /Deleted old\.txt/);
      assert.ok(!existsSync(join(folder, "workspace/old.txt")));
      assert.deepEqual(strangers, []);
      server.kill();
      await Promise.all([once(server, "exit"), model.close()]);
      await rm(folder, { recursive: true });
    },
  };
}

function serveTools(folder: string) {
  const program = fileURLToPath(new URL("../packages/cli/bin/toolwright.js", import.meta.url));
  const env = { ...process.env, TOOLWRIGHT_STATE: join(folder, "state") };
  return spawn(process.execPath, [program, "serve", "--port", "0"], { cwd: folder, env, stdio: ["ignore", "pipe", "ignore"] });
}

async function readUrl({ stdout }: Pick<ChildProcess, "stdout">): Promise<string> {
  for await (const line of createInterface({ input: stdout ?? process.stdin })) {
    const found = /MCP +(\S+)/.exec(line)?.[1];
    if (found !== undefined) return found;
  }
  throw new Error("The server ended before it said its URL.");
}

/** Hosts beside this machine that something here connected to. */
const strangers: string[] = [];
const { connect } = Socket.prototype;
Socket.prototype.connect = function (this: Socket, ...given: never[]) {
  const [options] = [given].flat(2) as readonly { readonly host?: string }[];
  const { host = "localhost" } = options ?? {};
  if (!["localhost", "127.0.0.1", "::1"].includes(host)) strangers.push(host);
  return connect.apply(this, given as never);
} as never;
