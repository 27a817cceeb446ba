import { createMcpHandler } from "@modelcontextprotocol/server";
import { createEngine } from "@toolwright/engine";
import { createRandomIds } from "@toolwright/engine/ports";
import { createManualClock } from "@toolwright/engine/testing";
import { expect, it, vi } from "vitest";
import { ann, greet, modernRequest } from "../../../test/mcp-client.ts";
import { buildServer } from "../build-server.ts";
import { clientCapability } from "../client.ts";
import { createDoorParts } from "../door-parts.ts";
import type { CallConversation } from "./call-conversation.ts";
import { Conversations } from "./conversations.ts";

/** A tenant has 8 of 32 places, and one of its callers 2. */
const open = () => new Conversations({ clock: createManualClock(), ids: createRandomIds(), ttlMs: 1000, max: 32 });
const by = (tenant: string, user: string) => ({ tenant, owner: `${tenant}/${user}`, person: user });
const waiting = () => ({ end: vi.fn() }) as unknown as CallConversation;

it("ends the caller's own that waits longest when they have too many, and nobody else's", () => {
  const conversations = open();
  const others = [by("acme", "ann"), by("beta", "bob")].map((caller) => ({ caller, handle: conversations.put(caller, waiting()) }));
  const own = Array.from({ length: 100 }, waiting);
  const handles = own.map((each) => conversations.put(by("beta", "mallory"), each));
  expect(own.map(({ end }) => vi.mocked(end).mock.calls.length)).toEqual([...Array(98).fill(1), 0, 0]);
  expect(handles.slice(-3).map((handle) => conversations.take("beta/mallory", handle))).toEqual([undefined, ...own.slice(-2)]);
  for (const { caller, handle } of others) expect(conversations.take(caller.owner, handle)).toBeDefined();
});

it.each([
  ["tenant", ["beta"], 4],
  ["server", ["beta", "gamma", "delta", "epsilon"], 4],
])("takes none when the places of the %s are all taken by others, and ends it", (whose, tenants, users) => {
  const conversations = open();
  const others = tenants.flatMap((tenant) => Array.from({ length: users * 2 }, (_, index) => by(tenant, `${index % users}`)));
  const handles = others.map((caller) => conversations.put(caller, waiting()));
  const late = waiting();
  expect(() => conversations.put(by(whose === "tenant" ? "beta" : "acme", "ann"), late)).toThrow(
    expect.objectContaining({ code: "rate_limited" }),
  );
  expect(late.end).toHaveBeenCalledWith(expect.stringContaining(whose));
  for (const [index, { owner }] of others.entries()) expect(conversations.take(owner, handles[index] ?? "")).toBeDefined();
});

it("the client of a call that finds no place is told so", async () => {
  const engine = createEngine({ tools: [greet], capabilities: [clientCapability] });
  const parts = createDoorParts({ engine, serverInfo: { name: "test", version: "1" } }, () => ({ principal: ann, session: "s" }));
  const conversations = new Conversations({ ...parts, ttlMs: 1000, max: 0 });
  const handler = createMcpHandler(() => buildServer({ ...parts, conversations }, "modern"), { legacy: "reject" });
  const response = await handler.fetch(modernRequest("tools/call", { name: "greet", arguments: {} }));
  expect(await response.json()).toMatchObject({
    result: { isError: true, content: [{ text: expect.stringMatching(/^Error rate_limited: /) }] },
  });
  await handler.close();
  await engine.close();
});
