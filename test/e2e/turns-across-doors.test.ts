import { existsSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { afterEach, beforeEach, expect, test } from "vitest";
import { type ScriptedModel, serveScriptedModel } from "../../examples/scripted-model.ts";
import { Place } from "./run-cli.ts";
import { killServer, type Served, startServer } from "./served.ts";

let place: Place;
let model: ScriptedModel;
beforeEach(async () => {
  const answers = doors.map((door) => [
    { text: "Let me see." },
    { name: "file_write", input: { path: `${door}.new`, content: "here" } },
    deleteBy[door],
    { name: "file_list", input: { path: "." } },
  ]);
  [place, model] = await Promise.all([Place.make("server"), serveScriptedModel([...answers, ...doors.map((door) => `Done by ${door}.`)])]);
  Object.assign(place.env, { TOOLWRIGHT_MODEL: "openai-compatible/scripted-1", TOOLWRIGHT_MODEL_URL: model.url });
  await mkdir(place.path("workspace"));
  for (const door of doors) await writeFile(place.path("workspace", `${door}.old`), "to be deleted");
});
afterEach(async () => void (await Promise.all([place.remove(), model.close()])));

const doors = ["rest", "mcp", "cli"] as const;
type Door = (typeof doors)[number];

const program = 'const { path } = await tools.file_delete({ path: "rest.old" });\nreturn path;';
/** One of them by a program, whose call of it then asks. */
const deleteBy = {
  rest: { name: "code_run", input: { program } },
  mcp: { name: "file_delete", input: { path: "mcp.old" } },
  cli: { name: "file_delete", input: { path: "cli.old" } },
} as const;

const message = (door: Door) => `Clean up, ${door}.`;
const idIn = (said: string) => /apr_[A-Za-z0-9_-]{22}/.exec(said)?.[0] ?? said;

async function post({ listens }: Served, path: string, body: object): Promise<Response> {
  return fetch(`${listens}/api${path}`, { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(body) });
}

/** A client whose person says yes to each form, or one that shows none. */
async function callByMcp({ mcp }: Served, door: Door, answers: boolean): Promise<string> {
  const capabilities = answers ? { elicitation: { form: {} } } : {};
  const client = new Client({ name: "doors", version: "1.0.0" }, { capabilities, versionNegotiation: { mode: { pin: "2026-07-28" } } });
  if (answers) client.setRequestHandler("elicitation/create", async () => ({ action: "accept", content: { decision: "approve" } }));
  await client.connect(new StreamableHTTPClientTransport(new URL(mcp)));
  const result = await client.callTool({ name: "agent_run", arguments: { agent: "assistant", message: message(door) } });
  await client.close();
  return JSON.stringify(result);
}

/** What streams until the call asks. */
async function readUntilAsked({ body }: Response): Promise<string> {
  let said = "";
  for await (const text of body?.pipeThrough(new TextDecoderStream()) ?? []) {
    said += text;
    if (said.includes("tool-approval-request")) break;
  }
  expect(said).toMatch(/"type":"text-delta".*"type":"tool-input-available"/s);
  return said;
}

/** Sends a message; gives the id of the approval that its turn waits for. */
const begin: Readonly<Record<Door, (served: Served) => Promise<string>>> = {
  rest: async (served) => idIn(await readUntilAsked(await post(served, "/agents/assistant/turns", { message: message("rest") }))),
  mcp: async (served) => idIn(await callByMcp(served, "mcp", false)),
  cli: async () => idIn((await place.run(["chat", "assistant", message("cli")])).err),
};

const approve: Readonly<Record<Door, (served: Served, id: string) => Promise<unknown>>> = {
  rest: async (served, id) => expect((await post(served, `/approvals/${id}/answer`, { outcome: { kind: "approve" } })).status).toBe(200),
  // The call again: its person is shown the form, and it ends with the turn.
  mcp: async (served) => expect(await callByMcp(served, "mcp", true)).toContain("Done by mcp."),
  cli: async (_, id) =>
    expect(await place.run(["approvals", "approve", id])).toMatchObject({
      code: 0,
      err: expect.not.stringContaining("no process goes on"),
    }),
};

async function statesAt({ listens }: Served): Promise<readonly string[]> {
  const { items } = (await (await fetch(`${listens}/api/turns`)).json()) as { readonly items: readonly Readonly<Record<string, string>>[] };
  return items.map(({ state, text }) => (state === "done" ? `${text}` : `${state}`)).sort();
}

const within = { timeout: 20_000 };

test("turns ask in one call of three, their server is killed, and each goes on in the next one once a door has answered", async () => {
  // From its sources, and the next one from the bundle beside them: what waits is bound to the text of its tools.
  const first = await startServer(place, ["--verbose"]);
  const ids: string[] = [];
  for (const door of doors) ids.push(await begin[door](first));
  await expect.poll(() => statesAt(first), within).toEqual(["waiting", "waiting", "waiting"]);
  await killServer(first);
  const second = await startServer(place);
  const ended: string[] = [];
  for (const [index, door] of doors.entries()) {
    expect(existsSync(place.path("workspace", `${door}.old`))).toBe(true);
    await approve[door](second, ids[index] ?? "");
    ended.push(`Done by ${door}.`);
    const waiting = doors.slice(index + 1).map(() => "waiting");
    await expect.poll(() => statesAt(second), within).toEqual([...ended, ...waiting].sort());
    expect(existsSync(place.path("workspace", `${door}.old`))).toBe(false);
  }
  // One request for each response, the second with a result for each call.
  expect(model.requests).toHaveLength(6);
  for (const { messages } of model.requests.slice(3)) expect(messages.filter(({ role }) => role === "tool")).toHaveLength(3);
  const read = model.requests.flatMap(({ messages }) => messages.map(({ role, content }) => role === "tool" && content));
  expect(read).toContain('"rest.old"');
});
