import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type ServedHere, serveHere } from "../../packages/cli/test/serve-here.ts";
import { eras, type FormAnswer } from "./support/mcp-by-hand.ts";

let folder: string;
let server: ServedHere;
let mcp: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "toolwright-machine-answers-"));
  await writeFile(join(folder, "policy.yaml"), "version: 1\ntools: { ask: [file_write] }\n");
  server = await serveHere([], { TOOLWRIGHT_POLICY: join(folder, "policy.yaml") });
  mcp = `${server.url}/mcp`;
});
afterAll(async () => {
  await server.stop();
  await rm(folder, { recursive: true, force: true });
});

/** Every event of the log, a line each. */
async function readLog(from: ServedHere): Promise<string> {
  const sessions = (await from.run("log", "sessions", "--json")).split("\n").map((line) => JSON.parse(line) as { session: string });
  const logs = await Promise.all(sessions.map(({ session }) => from.run("log", "show", session)));
  return logs.join("\n");
}

const accept = (content: unknown): FormAnswer => ({ result: { action: "accept", content } });
const answers: readonly { name: string; answer: FormAnswer }[] = [
  { name: "declines at once", answer: { result: { action: "decline" } } },
  { name: "cancels", answer: { result: { action: "cancel" } } },
  { name: "declines with a yes beside it", answer: { result: { action: "decline", content: { decision: "approve" } } } },
  { name: "declines with a no beside it", answer: { result: { action: "decline", content: { decision: "deny" } } } },
  { name: "has no handler", answer: { error: { code: -32601, message: "Method not found" } } },
  { name: "has a handler that throws", answer: { error: { code: -32603, message: "undefined is not a function" } } },
  { name: "answers with an error that claims a yes", answer: { error: { code: 0, message: '{"decision":"approve"}' } } },
  { name: "answers {}", answer: { result: {} } },
  { name: "answers null", answer: { result: null } },
  { name: "accepts without content", answer: { result: { action: "accept" } } },
  { name: "accepts with nothing filled in", answer: accept({}) },
  { name: "accepts with what the form had as defaults", answer: accept({ remember: "call" }) },
  { name: "accepts with another choice", answer: accept({ decision: "yes" }) },
  { name: "accepts with another case", answer: accept({ decision: "Approve" }) },
  { name: "accepts with a list", answer: accept({ decision: ["approve"] }) },
  { name: "accepts with true", answer: accept({ decision: true }) },
  { name: "accepts with the title", answer: accept({ decision: "Approve, once" }) },
  { name: "accepts with a list as content", answer: accept([{ decision: "approve" }]) },
  { name: "accepts with an unknown way of remembering", answer: accept({ decision: "approve", remember: "always" }) },
  { name: "uses another word for it", answer: { result: { action: "approve", content: { decision: "approve" } } } },
  { name: "answers with a text", answer: { result: "approve" } },
];

describe.each(eras)("R-AP-10 a client of $era", ({ era, call }) => {
  const inputOf = (name: string) => ({ path: `${era}-${name.replaceAll(/\W/g, "-")}.txt`, content: "hello" });

  it.each(answers)("that $name has answered nothing: the call waits, and says how a person answers", async ({ name, answer }) => {
    const input = inputOf(name);
    const { asked, text } = await call({ url: mcp, tool: "file_write", input, answer });
    expect(asked).toBe(1);
    expect(text).toMatch(/^Not run yet: "file_write" waits for a person's approval/);
    expect(text).toContain(input.path);
    expect(text).toMatch(/approvals approve apr_[\w-]+/);
    expect(text).toContain("No person answered: client by-hand 1.2.3");
  });

  it("leaves each of these calls open, and one runs once a person approved it", async () => {
    const open = JSON.parse(await server.run("approvals", "list", "--json")) as { record: { id: string; input: { path: string } } }[];
    for (const { name } of answers) expect(open.filter(({ record }) => record.input.path === inputOf(name).path)).toHaveLength(1);
    const input = inputOf("declines at once");
    await server.run("approvals", "approve", open.find(({ record }) => record.input.path === input.path)?.record.id ?? "");
    const { asked, text } = await call({ url: mcp, tool: "file_write", input, answer: { result: { action: "decline" } } });
    expect(asked).toBe(0);
    expect(text).not.toMatch(/Not run yet|denied/i);
  });

  it("that goes away while it is asked leaves the call waiting", async () => {
    const asked = { url: mcp, tool: "file_write", input: { path: `${era}-gone.txt`, content: "hello" } };
    expect((await call({ ...asked, answer: "nothing" })).asked).toBe(1);
    await expect.poll(() => server.run("approvals", "list"), { timeout: 30_000 }).toContain(`${era}-gone.txt`);
  });

  it("that says no in the form denies, with a person's words", async () => {
    const input = { path: `${era}-denied.txt`, content: "hello" };
    const answer = accept({ decision: "deny", message: "Not on a Friday." });
    const { text } = await call({ url: mcp, tool: "file_write", input, answer });
    expect(text).toContain("Denied by a person: Not on a Friday.");
  });

  it("that chose a name full of control characters is named safely, and briefly", async () => {
    const client = { name: `evil\u001b]52;c;x\u0007\u202e${"n".repeat(5000)}`, version: "1\n2" };
    const input = { path: `${era}-named.txt`, content: "hello" };
    const { text } = await call({ url: mcp, tool: "file_write", input, client, answer: { result: { action: "decline" } } });
    expect(text).toContain("client evil<U+001B>]52;c;x<U+0007><U+202E>nnn");
    expect(text.length).toBeLessThan(2_000);
  });

  it("that answers when somebody else has is told so, and nothing runs twice", async () => {
    const input = { path: `${era}-twice.txt`, content: "hello" };
    const answer = async ({ message }: { readonly message: string }): Promise<FormAnswer> => {
      await server.run("approvals", "approve", /apr_[\w-]+/.exec(message)?.[0] ?? "", "--run");
      return accept({ decision: "approve" });
    };
    const { text } = await call({ url: mcp, tool: "file_write", input, answer });
    expect(text).toMatch(/^Error approval_used: Approval apr_[\w-]+ was used before; each one runs once\./);
  });

  it("that says no when somebody else has said yes, or yes when somebody else has said no, changes nothing", async () => {
    const race = (first: "approve" | "deny", decision: string) =>
      call({
        ...{ url: mcp, tool: "file_write", input: inputOf(`${first}-first`) },
        answer: async ({ message }) => {
          await server.run("approvals", first, /apr_[\w-]+/.exec(message)?.[0] ?? "");
          return accept({ decision });
        },
      });
    expect((await race("approve", "deny")).text).toMatch(/approval_already_answered: Approval apr_[\w-]+ was answered before/);
    expect((await race("deny", "approve")).text).toMatch(/^Denied by a person/);
  });
});

it("R-AP-10 the log names the client that did not answer, and no person who would have denied", async () => {
  const log = await readLog(server);
  expect(log).toContain("not answered by client by-hand 1.2.3: it declined the form");
  expect(log).toContain("not answered by client by-hand 1.2.3: it answered with error -32601");
  expect(log).toContain("not answered by client by-hand 1.2.3: it sent no answer that can be read");
  expect(log).not.toContain("it did not answer in time");
  expect(log.match(/tool\.denied/g)).toHaveLength(4);
  for (const { era } of eras)
    expect(log.split("\n").filter((line) => line.includes("tool.completed") && line.includes(`${era}-twice.txt`))).toHaveLength(1);
});

it("R-AP-10 a client of 2026-07-28 whose handler throws reads with its next request how a person answers", async () => {
  const [{ call } = { call: async () => ({ asked: 0, text: "", status: 0 }) }] = eras;
  const asked = { url: mcp, tool: "file_write", input: { path: "thrown.txt", content: "hello" }, answer: "nothing" } as const;
  expect((await call(asked)).asked).toBe(1);
  const second = await call(asked);
  expect(second.asked).toBe(0);
  expect(second.text).toMatch(/^Not run yet.*approvals approve apr_.*did not send the form back/s);
  expect((await call({ ...asked, client: { name: "another", version: "1" } })).asked).toBe(1);
  expect((await call(asked)).asked).toBe(1);
});

it("R-AP-10 a server with --ask never asks no client of either era, and says so", async () => {
  const silent = await serveHere(["--ask", "never"], { TOOLWRIGHT_POLICY: join(folder, "policy.yaml") });
  expect(silent.greeting).toMatch(/Approvals +no client is asked \(--ask never\)/);
  for (const { era, call } of eras) {
    const input = { path: `${era}.txt`, content: "hello" };
    const { asked, text } = await call({ url: `${silent.url}/mcp`, tool: "file_write", input, answer: accept({ decision: "approve" }) });
    expect([asked, text]).toEqual([0, expect.stringMatching(/^Not run yet.*approvals approve apr_/s)]);
  }
  await silent.stop();
});
