import { Client, InMemoryTransport } from "@modelcontextprotocol/client";
import { createEngine } from "@toolwright/engine";
import { expect, it } from "vitest";
import { add, ann, countingTool, eras, greet, textOf } from "../../test/mcp-client.ts";
import { clientCapability, serveMcpStdio } from "./index.ts";

it.each(eras)("serves a $era client at standard input: lists, calls, asks, tells of changes", async ({ mode }) => {
  const { tool, runs } = countingTool();
  const engine = createEngine({ tools: [add, tool], capabilities: [clientCapability] });
  const [theirs, ours] = InMemoryTransport.createLinkedPair();
  const server = serveMcpStdio({
    engine,
    serverInfo: { name: "t", version: "1" },
    principal: ann,
    session: "stdio",
    transport: ours as never,
  });
  const changed = Promise.withResolvers<number>();
  const client = new Client(
    { name: "c", version: "1" },
    {
      capabilities: { elicitation: { form: {} } },
      versionNegotiation: { mode },
      listChanged: { tools: { onChanged: (_error, tools) => changed.resolve(tools?.length ?? 0) } },
    },
  );
  client.setRequestHandler("elicitation/create", async () => ({ action: "accept" as const, content: { decision: "approve" } }));
  await client.connect(theirs);
  expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(["add", "pay"]);
  expect((await client.callTool({ name: "add", arguments: { a: 1, b: 2 } })).structuredContent).toEqual({ sum: 3 });
  expect(textOf(await client.callTool({ name: "pay", arguments: { to: "Carol" } }))).toContain("Paid Carol.");
  expect(runs).toEqual(["Carol"]);
  engine.register([greet]);
  expect(await changed.promise).toBe(3);
  await client.close();
  await server.close();
  await engine.close();
});
