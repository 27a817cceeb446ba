import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createServerDatabase } from "@toolwright/postgres/testing";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { runIn } from "../../../test/test-io.ts";
import { exitCodes } from "../../exit-code.ts";
import type { Io } from "../../io.ts";

let root: string;
let database: Awaited<ReturnType<typeof createServerDatabase>>;
beforeEach(async () => {
  database = await createServerDatabase();
  root = mkdtempSync(join(tmpdir(), "toolwright-chat-"));
});
afterEach(async () => {
  rmSync(root, { recursive: true, force: true });
  await database.drop();
});

const run = (argv: readonly string[], given: Partial<Io> = {}) =>
  runIn(root, argv, { ...given, env: { DATABASE_URL: database.url, ...given.env } });
const say = (message: string, ...options: readonly string[]) => run(["chat", "assistant", message, ...options]);

describe("toolwright models", () => {
  it("lists providers with what each needs, and the usual model", async () => {
    const { out } = await run(["models", "list"], { env: { OPENAI_API_KEY: "k" } });
    expect(out).toMatch(/^demo +nothing$/m);
    expect(out).toMatch(/^openai +secret openai_api_key$/m);
    expect(out).toMatch(/^openai-compatible +setting TOOLWRIGHT_MODEL_URL \(missing\)$/m);
    expect(out).toMatch(/^anthropic +secret anthropic_api_key \(missing\)$/m);
    expect(out).toContain("The usual model is demo/demo.");
    expect(JSON.parse((await run(["models", "list", "--json"])).out)).toMatchObject({
      usual: "demo/demo",
      items: [{ provider: "demo", needs: [] }, {}, {}, {}, {}],
    });
  });

  it("tests one", async () => {
    const { out, code } = await run(["models", "test", "demo/demo"]);
    expect(code).toBe(exitCodes.done);
    expect(out).toMatch(/^ok {6}reach: The model demo\/demo answers\.\nok {6}streaming: .*\nok {6}tools: .*\nok {6}usage: /);
    const dead = await run(["models", "test", "anthropic/claude-opus-5-5", "--json"]);
    expect(dead.code).toBe(exitCodes.unavailable);
    expect(JSON.parse(dead.out)[0]).toEqual({
      name: "reach",
      ok: false,
      message: expect.stringContaining("Set the secret anthropic_api_key"),
    });
  });
});

describe("toolwright chat", () => {
  it("shows what the agent does and says, and goes on with a conversation", async () => {
    const first = await say('call file_write {"path": "a.txt", "content": "hello"}');
    expect(first.code).toBe(exitCodes.done);
    expect(first.out).toMatch(/^\[demo model, no AI\] file_write: /);
    expect(first.err).toMatch(/^· file_write \{"path":"a.txt","content":"hello"\}\n· file_write: done$/m);
    const [, conversation = ""] = /^Conversation (ses_\S+)$/m.exec(first.err) ?? [];
    writeFileSync(join(root, "notes.txt"), "Zoë.");
    const attached = await say("Read this.", "--conversation", conversation, "--attach", "notes.txt", "--attach", "notes.txt");
    expect(attached.out.match(/\[Attachment notes\.txt: text\/plain, 5 bytes, artifact art_\S+\]\nZoë\./g)).toHaveLength(2);
    const second = await say('call file_read {"path": "a.txt"}', "--conversation", conversation);
    expect(second.out).toContain("hello");
    const { out } = await run(["turns", "list", "--conversation", conversation]);
    expect(out.match(/trn_\S+ +done +assistant/g)).toHaveLength(3);
    const [id = "", before = ""] = out.match(/trn_\S+/g) ?? [];
    expect((await run(["turns", "show", before])).out).toMatch(/^user: Read this\.\nuser: \[notes\.txt\]\nuser: \[notes\.txt\]$/m);
    const shown = await run(["turns", "show", id]);
    expect(shown.out).toMatch(/user: call file_read .*\n {2}call file_read .*\n {2}file_read: .*(\n {4}.*)*hello/);
    const task = 'call file_read {"path": "a.txt"}';
    const given = await say(`call task_spawn ${JSON.stringify({ task })}`, "--conversation", conversation);
    expect(given.out).toMatch(/^\[demo model, no AI\] task_spawn: \[demo model, no AI\] file_read: .*hello/s);
    const listed = await run(["turns", "list", "--json"]);
    const [child] = (JSON.parse(listed.out) as { id: string; parent?: string }[]).filter(({ parent }) => parent !== undefined);
    expect((await run(["turns", "show", child?.parent ?? ""])).out).toContain(`Its sub-agent: toolwright turns show ${child?.id}`);
    expect((await run(["turns", "show", child?.id ?? ""])).out).toContain(`A sub-agent of: toolwright turns show ${child?.parent}`);
  });

  it("waits for a person without a terminal, and asks there with one", async () => {
    const waits = await say('call file_delete {"path": "a.txt"}\ncall exec {"command": "git push"}');
    expect(waits.code).toBe(exitCodes.pending);
    expect(waits.err).toMatch(/toolwright approvals approve apr_\S+ --run/);
    const [turn = ""] = /trn_\S+/.exec((await run(["turns", "list"])).out) ?? [];
    const { conversation } = JSON.parse((await run(["turns", "show", turn, "--json"])).out) as { conversation: string };
    const queued = await say("And then?", "--conversation", conversation);
    expect(queued.out).toContain("The message waits for the next step of the turn that runs.");
    const { out } = await run(["turns", "show", turn]);
    expect(out).toContain("user: And then? (waits for the next step)");
    const instead = await say("Hello", "--conversation", conversation, "--interrupt");
    expect(instead.out).toContain("You wrote: Hello");
    expect((await run(["turns", "show", turn])).out).toContain(`${turn}: cancelled`);
    const answers = ["n"];
    const asked = await run(["chat", "assistant", 'call exec {"command": "git push"}'], {
      isInteractive: true,
      ask: async () => answers.shift(),
    });
    expect(asked.code).toBe(exitCodes.done);
    expect(asked.out).toMatch(/exec: Denied by a person: /);
  });

  it("goes on with a server or a worker, which an answer says where there is none", async () => {
    expect((await say('call exec {"command": "git push"}\ncall exec {"command": "git fetch"}')).code).toBe(exitCodes.pending);
    const [push, fetch] = JSON.parse((await run(["approvals", "list", "--json"])).out) as { record: { id: string } }[];
    const approved = await run(["approvals", "approve", push?.record.id ?? ""]);
    const denied = await run(["approvals", "deny", fetch?.record.id ?? "", "--json"]);
    const { strandedTurn } = JSON.parse(denied.out) as { strandedTurn: { id: string } };
    expect(approved.err).toBe(
      `Approved. It runs in the turn ${strandedTurn.id} of assistant, which goes on once all that it waits for is answered.\n`,
    );
    expect(denied.err).toBe(
      `Denied. The call will not run.\nThe turn ${strandedTurn.id} of assistant waits: no process goes on with it. It goes on with toolwright serve or toolwright worker, or now: toolwright approvals run ${fetch?.record.id}\n`,
    );
    expect((await run(["approvals", "run", fetch?.record.id ?? ""])).out).toMatch(/exec: Denied/);
  });

  it("gives one JSON document, and nothing else, with --json", async () => {
    const { out, code } = await say("Hello", "--json");
    expect(code).toBe(exitCodes.done);
    expect(JSON.parse(out)).toMatchObject({ status: "done", output: { state: "done", text: expect.stringContaining("You wrote: Hello") } });
  });

  it("sends the message of a turn again that failed or was cancelled, and of no other", async () => {
    const failed = await run(["chat", "assistant", "Hello again"], { env: { TOOLWRIGHT_MODEL: "openai/gpt-5" } });
    expect(failed.code).toBe(exitCodes.failed);
    const turns = async () =>
      JSON.parse((await run(["turns", "list", "--json"])).out) as { id: string; state: string; conversation: string }[];
    const [turn] = await turns();
    const again = await run(["turns", "retry", turn?.id ?? ""]);
    expect(again.code).toBe(exitCodes.done);
    expect(again.out).toContain("You wrote: Hello again");
    const [next] = await turns();
    expect(next).toMatchObject({ state: "done", conversation: turn?.conversation });
    const done = await run(["turns", "retry", next?.id ?? ""]);
    expect([done.code, done.err]).toEqual([exitCodes.usage, expect.stringContaining("is done. Only the message of one that failed")]);
  });

  it.each([
    ["no message without a terminal", ["chat"], /There is no message/],
    ["an agent that there is not", ["chat", "nobody", "Hello"], /There is no agent "nobody"/],
    ["a conversation that there is not", ["chat", "assistant", "Hello", "--conversation", "ses_x"], /no session "ses_x"/],
    [
      "a file that there is not",
      ["chat", "assistant", "Hello", "--attach", "gone"],
      /--attach "gone" cannot be read, so nothing was sent: ENOENT/,
    ],
    ["a turn that there is not", ["turns", "show", "trn_x"], /There is no turn "trn_x"/],
    ["a state that there is not", ["turns", "list", "--state", "asleep"], /--state: expected one of "running", "waiting"/],
  ])("says what is wrong with %s", async (_what, argv, words) => {
    const { code, err } = await run(argv);
    expect(err).toMatch(words);
    expect(code).not.toBe(exitCodes.done);
  });
});
