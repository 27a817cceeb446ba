import { PassThrough } from "node:stream";
import { SUPPORTED_PROTOCOL_VERSIONS } from "@modelcontextprotocol/server";
import { type McpStdioOptions, serveMcpStdio } from "@toolwright/doors/mcp";
import { StdioTransport } from "@toolwright/doors/mcp/stdio";
import { createEngine } from "@toolwright/engine";
import { type ServerFacts, serverFacts } from "@toolwright/server/facts";
import { describe, expect, it } from "vitest";
import { openStdio } from "./open-stdio.ts";
import { answerOpening, handshakeRevisions } from "./opening-answer.ts";

const facts: ServerFacts = { serverInfo: { name: "t", version: "1" }, instructions: "Ask a person." };
const clientInfo = { name: "c", version: "1" };
const initialize = (protocolVersion: unknown, changes: object = {}) => ({
  jsonrpc: "2.0",
  id: 1,
  method: "initialize",
  params: { protocolVersion, capabilities: { elicitation: {} }, clientInfo, ...changes },
});
const envelope = (version: string) => ({
  "io.modelcontextprotocol/protocolVersion": version,
  "io.modelcontextprotocol/clientInfo": clientInfo,
  "io.modelcontextprotocol/clientCapabilities": {},
});
const discover = (version: string) => ({ jsonrpc: "2.0", id: "d", method: "server/discover", params: { _meta: envelope(version) } });

/** A server on a connection, as it is after it was loaded. */
function serve(transport: StdioTransport, options: Partial<McpStdioOptions> = {}) {
  const engine = createEngine();
  const server = serveMcpStdio({
    ...facts,
    engine,
    principal: { tenant: "acme", actor: { kind: "user", id: "ann" }, permissions: [], door: "mcp" },
    session: "stdio",
    transport,
    ...options,
  });
  return { close: () => server.close() };
}

/** The next lines of a stream. */
async function lines(output: PassThrough, count: number): Promise<unknown[]> {
  let text = "";
  while (text.split("\n").length <= count) {
    const chunk: Buffer | null = output.read();
    if (chunk === null) await new Promise((resolve) => output.once("readable", resolve));
    else text += String(chunk);
  }
  return text
    .split("\n")
    .slice(0, count)
    .map((line) => JSON.parse(line));
}

async function answerOfServer(message: object, said: ServerFacts = facts): Promise<unknown> {
  const [input, output] = [new PassThrough(), new PassThrough()];
  const { close } = serve(new StdioTransport({ input, output }), said);
  input.write(`${JSON.stringify(message)}\n`);
  const [answer] = await lines(output, 1);
  await close();
  return answer;
}

describe("the first answer on stdin", () => {
  const openings: readonly (readonly [string, object])[] = [
    ...[...handshakeRevisions, "1999-01-01"].map((revision) => [revision, initialize(revision)] as const),
    ["discover", discover("2026-07-28")],
  ];
  it.each(openings)("is the one that the server itself would give: %s", async (_, message) => {
    const answer = answerOpening(message, facts);
    expect(JSON.parse(answer?.text ?? "null")).toEqual(await answerOfServer(message));
  });

  it("says of this program what its doors say", async () => {
    const message = initialize("2025-11-25");
    const answer = answerOpening(message, serverFacts);
    expect(JSON.parse(answer?.text ?? "null")).toEqual(await answerOfServer(message, serverFacts));
    expect(serverFacts.instructions).toMatch(/approval.*background.*artifact/);
  });

  it("knows every revision that the server knows", () => {
    expect(handshakeRevisions).toEqual(SUPPORTED_PROTOCOL_VERSIONS);
  });

  it.each([
    ["no members", {}],
    ["an array", [initialize("2025-11-25")]],
    ["no id", { ...initialize("2025-11-25"), id: undefined }],
    ["an id of null", { ...initialize("2025-11-25"), id: null }],
    ["another method", { jsonrpc: "2.0", id: 1, method: "tools/list" }],
    ["no revision", initialize(undefined)],
    ["no capabilities", initialize("2025-11-25", { capabilities: undefined })],
    ["no name of the client", initialize("2025-11-25", { clientInfo: { version: "1" } })],
    ["the envelope of the other era", initialize("2025-11-25", { _meta: envelope("2026-07-28") })],
    ["a revision to come", discover("2999-01-01")],
  ])("is left to the server for a message with %s", (_, message) => {
    expect(answerOpening(message, facts)).toBeUndefined();
  });
});

describe("a connection at stdin that opens before the server is loaded", () => {
  it("has one answer to its first message, and the server's to what came meanwhile", async () => {
    const [input, output] = [new PassThrough(), new PassThrough()];
    const opened = openStdio(input, output, facts);
    const first = JSON.stringify(initialize("2025-06-18"));
    input.write(first.slice(0, 20));
    input.write(`${first.slice(20)}\n${JSON.stringify({ jsonrpc: "2.0", method: "notifications/initialized" })}\n`);
    expect(await lines(output, 1)).toMatchObject([{ id: 1, result: { protocolVersion: "2025-06-18", instructions: "Ask a person." } }]);
    input.write(`${JSON.stringify({ jsonrpc: "2.0", id: 2, method: "tools/list" })}\n`);
    const answered = opened.takeOver();
    expect(answered).toBe(1);
    const { close } = serve(opened.transport, { answered });
    expect(await lines(output, 1)).toMatchObject([{ id: 2, result: { tools: [] } }]);
    input.write(`${JSON.stringify({ jsonrpc: "2.0", id: 1, method: "ping" })}\n`);
    expect(await lines(output, 1)).toEqual([{ jsonrpc: "2.0", id: 1, result: {} }]);
    await close();
  });

  it("is answered by the server where the first message needs it, or none came in time", async () => {
    for (const early of ["", `${JSON.stringify({ jsonrpc: "2.0", id: 1, method: "ping" })}\n`, "noise\n"]) {
      const [input, output] = [new PassThrough(), new PassThrough()];
      const opened = openStdio(input, output, facts);
      input.write(early);
      await opened.firstWithin(1);
      const answered = opened.takeOver();
      expect(answered).toBeUndefined();
      const { close } = serve(opened.transport, { answered });
      input.write(`${JSON.stringify({ jsonrpc: "2.0", id: 2, method: "ping" })}\n`);
      const answers = await lines(output, early === "" ? 1 : 2);
      expect(answers.at(-1)).toEqual({ jsonrpc: "2.0", id: 2, result: {} });
      await close();
    }
  });

  it("ends before anything came, and while its server is loaded", async () => {
    for (const early of ["", "half a line", `${JSON.stringify(initialize("2025-06-18"))}\n`]) {
      const input = new PassThrough();
      const opened = openStdio(input, new PassThrough(), facts);
      input.end(early);
      await opened.firstWithin(60_000);
      await opened.transport.ended;
      const { close } = serve(opened.transport, { answered: opened.takeOver() });
      await close();
    }
  });
});
