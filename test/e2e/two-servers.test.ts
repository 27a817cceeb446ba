import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { createServer, request } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { createServerDatabase } from "@toolwright/postgres/testing";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { type ScriptedAnswer, type ScriptedModel, serveScriptedModel } from "../../examples/scripted-model.ts";
import { beginAnswer } from "../integration/agents/agents-world.ts";
import { releaseTool } from "./release-tool.ts";
import { finish, Place, waitForText } from "./run-cli.ts";
import { callByMcp, mcpRequest, type Served, startServer } from "./served.ts";

const tools = {
  release: releaseTool,
  counted: `import { defineTool } from "@toolwright/engine";
import { z } from "zod";
export default defineTool({
  name: "counted",
  description: "Leaves one file for each time that it ran, and ends when its caller says so. For tests of repeated calls.",
  input: z.object({ until: z.string() }),
  output: z.object({ process: z.int() }),
  effects: { files: "write" },
  async run({ until }, { files }) {
    await files.write(\`runs/\${crypto.randomUUID()}.txt\`, until);
    await fetch(until);
    return { process: process.pid };
  },
});
`,
  patient: `import { defineTool } from "@toolwright/engine";
import { z } from "zod";
export default defineTool({
  name: "patient",
  description: "Waits for ever the first time that it runs, and ends at once the second time. For tests of jobs.",
  input: z.object({}),
  output: z.object({ process: z.string() }),
  effects: { files: "write", idempotent: true },
  async run(_, { files, signal }) {
    const { entries } = await files.list("turns");
    await files.write(\`turns/\${entries.length}.txt\`, String(process.pid));
    if (entries.length === 0) await new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason)));
    return { process: String(process.pid) };
  },
});
`,
};

let place: Place;
let servers: readonly Served[];
/** Two servers on one database. */
async function startTwo(env: NodeJS.ProcessEnv = {}): Promise<void> {
  place = await Place.make("server");
  Object.assign(place.env, env);
  for (const folder of ["workspace/runs", "workspace/turns", "tools"]) await mkdir(place.path(folder), { recursive: true });
  place.env.TOOLWRIGHT_TOOLS = place.path("tools");
  for (const [name, text] of Object.entries(tools)) await writeFile(place.path(`tools/${name}.tool.ts`), text);
  servers = await Promise.all([startServer(place), startServer(place)]);
}

/** How often a tool ran with this in its input. */
async function runsOf(content: string): Promise<number> {
  const files = await readdir(place.path("workspace/runs"));
  const contents = await Promise.all(files.map((file) => readFile(place.path("workspace/runs", file), "utf8")));
  return contents.filter((text) => text === content).length;
}

interface Sent {
  readonly body: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** `sent` when the whole request is on its way, `answered` with the body of the answer. */
function post(url: string, { headers, body }: Sent) {
  const asked = request(url, { method: "POST", headers, agent: false });
  const answered = once(asked, "response").then(([response]) => text(response));
  return { sent: new Promise<void>((resolve) => asked.end(body, resolve)), answered };
}

const byRest = ({ listens }: Served, input: object, key: string) =>
  post(`${listens}/api/tools/counted/call`, {
    headers: { "content-type": "application/json", "idempotency-key": key },
    body: JSON.stringify(input),
  });
const byMcp = ({ mcp }: Served, input: Readonly<Record<string, unknown>>, key: string) =>
  post(mcp, mcpRequest({ name: "counted", input, meta: { "dev.toolwright/idempotency-key": key } }));

/** What REST and MCP say of a call that is done. */
function readDone(answer: string) {
  const { callId, status, output, result } = JSON.parse(answer);
  const told = result?._meta?.["dev.toolwright/call"];
  return told
    ? { callId: told.callId, status: told.status, process: result.structuredContent.process }
    : { callId, status, process: output?.process };
}

describe("two servers on one database", () => {
  beforeAll(() => startTwo());
  afterAll(() => place.remove());

  test("what one asks for is answered and run in the other, and whoever follows the log sees both", async () => {
    const [one, other] = servers as [Served, Served];
    const version = randomUUID();
    const releaseBy = (server: Served) => callByMcp(server, "release", { version });
    const follower = place.start(["log", "follow", "--json"]);
    const seen: string[] = [];
    follower.stdout.on("data", (chunk: Buffer) => seen.push(String(chunk)));
    await waitForText(follower, /Following the log/);
    const asked = await releaseBy(one);
    const id = /apr_[A-Za-z0-9_-]{22}/.exec(asked)?.[0] ?? "";
    await expect.poll(() => seen.join(""), { timeout: 20_000, interval: 50 }).toContain('"tool.needs_approval"');
    expect((await place.run(["approvals", "approve", id])).err).toMatch(/Approved/);
    const answers = await Promise.all([releaseBy(other), releaseBy(one)]);
    expect(await runsOf(version)).toBe(1);
    expect(answers.filter((text) => text.includes(`"released":"${version}"`))).toHaveLength(1);
    await expect.poll(() => seen.join(""), { timeout: 20_000, interval: 50 }).toContain('"tool.completed"');
  });

  test("a hundred calls with one key at once, over REST and MCP: one runs, and all get its answer", async () => {
    const [begun, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const gate = createServer(async (_, response) => {
      begun.resolve();
      await released.promise;
      response.end();
    }).listen(0, "127.0.0.1");
    await once(gate, "listening");
    const input = { until: `http://127.0.0.1:${(gate.address() as AddressInfo).port}/` };
    const key = randomUUID();
    const calls = Array.from({ length: 100 }, (_, index) => (index % 4 < 2 ? byRest : byMcp)(servers[index % 2] as Served, input, key));
    let early = 0;
    for (const { answered } of calls) void answered.then(() => early++);
    await Promise.all(calls.map(({ sent }) => sent));
    await begun.promise;
    expect(early).toBe(0);
    released.resolve();
    const answers = (await Promise.all(calls.map(({ answered }) => answered))).map(readDone);
    expect(answers[0]).toMatchObject({ status: "done" });
    expect(new Set(answers.map((answer) => JSON.stringify(answer))).size).toBe(1);
    expect(await runsOf(input.until)).toBe(1);
    gate.close();
  });
});

describe("two servers of which one is stopped", () => {
  beforeEach(() => startTwo());
  afterEach(() => place.remove());

  test("a job whose server is stopped in its middle goes on in the other within 30 s (R-AU-7)", async () => {
    const job = (await place.run(["jobs", "run", "patient", "--input", "{}"])).out.trim();
    const turn = (number: number) => readFile(place.path(`workspace/turns/${number}.txt`), "utf8").catch(() => "");
    await expect.poll(() => turn(0), { timeout: 30_000, interval: 50 }).not.toBe("");
    const first = await turn(0);
    const busy = servers.find(({ child }) => String(child.pid) === first) as Served;
    const stopped = finish(busy.child);
    busy.child.kill("SIGTERM");
    await expect.poll(() => turn(1), { timeout: 30_000, interval: 50 }).not.toBe("");
    expect(await turn(1)).not.toBe(first);
    expect((await stopped).code).toBe(0);
    const state = async () => (JSON.parse((await place.run(["jobs", "show", job, "--json"])).out) as { state: string }).state;
    await expect.poll(state, { timeout: 20_000, interval: 200 }).toBe("done");
  }, 120_000);
});

describe("two servers of which one is stopped while an agent answers there", () => {
  const script: ScriptedAnswer[] = [];
  let model: ScriptedModel;
  beforeEach(async () => {
    model = await serveScriptedModel(script);
    await startTwo({ TOOLWRIGHT_MODEL: "openai-compatible/scripted", TOOLWRIGHT_MODEL_URL: model.url });
  });
  afterEach(async () => {
    await place.remove();
    await model.close();
  });

  test("the turn goes on in the other within seconds, and what was done is not done again", async () => {
    const [one, other] = servers as [Served, Served];
    const half = Promise.withResolvers<void>();
    const until = `${other.listens}/health`;
    script.push([{ name: "counted", input: { until } }], (outgoing) => beginAnswer(outgoing, "Half", half.resolve), "All done.");
    const headers = { "content-type": "application/json", prefer: "respond-async" };
    const { sent, answered } = post(`${one.listens}/api/agents/assistant/turns`, { headers, body: JSON.stringify({ message: "Go." }) });
    await sent;
    const { id } = JSON.parse(await answered) as { id: string };
    await half.promise;
    const stopped = finish(one.child);
    one.child.kill("SIGTERM");
    const turn = async () => (await fetch(`${other.listens}/api/turns/${id}`)).json();
    // Far less than the lease of a process that dies.
    await expect.poll(turn, { timeout: 9_000, interval: 100 }).toMatchObject({ state: "done", text: "All done.", steps: 2 });
    expect((await stopped).code).toBe(0);
    expect(await runsOf(until)).toBe(1);
    expect(model.requests).toHaveLength(3);
  }, 60_000);
});

test("three processes that bring one empty database to this version at once: one does it, and the others find it done", async () => {
  const { url, drop } = await createServerDatabase("template1");
  const place = await Place.make();
  try {
    const migrating = Array.from({ length: 3 }, () => place.run(["db", "migrate", "--json"], { env: { DATABASE_URL: url } }));
    const all = (await Promise.all(migrating)).map(({ code, out, err }) => ({ code, err, ...(JSON.parse(out) as { applied: string[] }) }));
    expect(all).toMatchObject([0, 1, 2].map(() => ({ code: 0, err: "" })));
    const [some, ...none] = all.map(({ applied }) => applied.length).sort((a, b) => b - a);
    expect(some).toBeGreaterThan(9);
    expect(none).toEqual([0, 0]);
  } finally {
    await place.remove();
    await drop();
  }
});
