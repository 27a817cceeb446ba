import { defineTool, type Principal } from "@toolwright/engine";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { z } from "zod";
import { openDoor, send } from "../../../test/mcp-client.ts";

/** A token is a tenant and a user: "acme/ann". */
const authentication = {
  open: false,
  authenticate(token = ""): Principal | undefined {
    const [tenant, id] = token.split("/");
    return tenant && id ? { tenant, actor: { kind: "user", id }, permissions: [], door: "mcp" } : undefined;
  },
};

let go: () => void;
let opened: ReturnType<typeof openDoor>;
beforeEach(() => {
  const going = Promise.withResolvers<void>();
  go = going.resolve;
  const wait = defineTool({
    name: "wait",
    description: "Waits until it is told to go on.",
    input: z.object({}),
    output: z.object({ text: z.string() }),
    async run() {
      await going.promise;
      return { text: "done" };
    },
  });
  // A tenant has 8 of these, and one of its callers 2.
  opened = openDoor({ engine: { tools: [wait] }, door: { authentication, maxSessions: 32, sessionTtlMs: 60_000 } });
});
afterEach(async () => {
  go();
  await opened.door.close();
  await opened.engine.close();
});

const asking = (token: string, id?: string) => ({
  authorization: `Bearer ${token}`,
  "content-type": "application/json",
  accept: "application/json, text/event-stream",
  ...(id !== undefined && { "mcp-session-id": id }),
});
const post = (token: string, message: object, id?: string) =>
  opened.door.fetch(send({ method: "POST", headers: asking(token, id), body: JSON.stringify({ jsonrpc: "2.0", id: 1, ...message }) }));
const listen = (token: string, id: string) => opened.door.fetch(send({ method: "GET", headers: asking(token, id) }));
const initialize = {
  method: "initialize",
  params: { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "c", version: "1" } },
};
const call = { method: "tools/call", params: { name: "wait", arguments: {} } };

/** The status of a request in it; 404 when it has ended. */
async function use(token: string, id: string): Promise<number> {
  const response = await post(token, { method: "ping" }, id);
  await response.text();
  return response.status;
}

/** Opens a session as a client does, which reads the answer; its id. */
async function open(token: string): Promise<string> {
  const response = await post(token, initialize);
  await response.text();
  if (response.status !== 200) throw new Error(`No session: ${response.status}`);
  return response.headers.get("mcp-session-id") ?? "";
}

/** The status and the words of an answer that gives no session. */
async function refusal(token: string): Promise<string> {
  const response = await post(token, initialize);
  const { error } = (await response.json()) as { error: { message: string } };
  return `${response.status} ${error.message}`;
}

describe("who has too many sessions", () => {
  it("loses their own that was idle for longest", async () => {
    const [first, second] = [await open("acme/ann"), await open("acme/ann")];
    await use("acme/ann", first);
    const third = await open("acme/ann");
    expect(await Promise.all([first, second, third].map((id) => use("acme/ann", id)))).toEqual([200, 404, 200]);
  });

  it("ends none of another tenant, nor of another caller of theirs", async () => {
    const [ann, bob] = [await open("acme/ann"), await open("beta/bob")];
    for (let count = 0; count < 100; count++) await open("beta/mallory");
    expect([await use("acme/ann", ann), await use("beta/bob", bob)]).toEqual([200, 200]);
  });

  it("is refused when all of their tenant's are those of others", async () => {
    const ids = [];
    for (const each of ["a", "b", "c", "d"])
      ids.push([`beta/${each}`, await open(`beta/${each}`)], [`beta/${each}`, await open(`beta/${each}`)]);
    expect(await refusal("beta/e")).toMatch(/^429 .*tenant/);
    for (const [token = "", id = ""] of ids) expect(await use(token, id)).toBe(200);
    expect(await use("acme/ann", await open("acme/ann"))).toBe(200);
  });

  it("is refused when all of the server's are those of others", async () => {
    const ids = [];
    for (const tenant of ["a", "b", "c", "d"])
      for (let user = 0; user < 8; user++) ids.push([`${tenant}/${user}`, await open(`${tenant}/${user}`)]);
    expect(await refusal("acme/ann")).toMatch(/^503 .*server/);
    for (const [token = "", id = ""] of ids) expect(await use(token, id)).toBe(200);
    expect(await use("a/1", await open("a/1"))).toBe(200);
  });

  it("gets no more by asking all at once", async () => {
    const answers = await Promise.all(Array.from({ length: 20 }, () => post("acme/ann", initialize)));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(2);
  });

  it("takes no place with a request that opens none", async () => {
    const ids = [await open("acme/ann"), await open("acme/ann")];
    const headers = { ...asking("acme/bob"), accept: "application/json" };
    const body = JSON.stringify({ jsonrpc: "2.0", id: 1, ...initialize });
    for (let count = 0; count < 10; count++) expect((await opened.door.fetch(send({ method: "POST", headers, body }))).status).toBe(406);
    expect(await use("acme/bob", await open("acme/bob"))).toBe(200);
    expect(await use("acme/ann", ids[0] ?? "")).toBe(200);
  });
});

describe("a session with a request open", () => {
  it("does not end for a newer one: a call that runs, a stream", async () => {
    const [calling, listening] = [await open("acme/ann"), await open("acme/ann")];
    const answer = await post("acme/ann", call, calling);
    const stream = await listen("acme/ann", listening);
    expect(await refusal("acme/ann")).toMatch(/^429 .*all are in use/);
    go();
    expect(await answer.text()).toContain("done");
    await stream.body?.cancel();
    const [third, fourth] = [await open("acme/ann"), await open("acme/ann")];
    expect(await Promise.all([calling, listening, third, fourth].map((id) => use("acme/ann", id)))).toEqual([404, 404, 200, 200]);
  });

  it("does not end for its age either, but when nobody used it since", async () => {
    const id = await open("acme/ann");
    const stream = await listen("acme/ann", id);
    await opened.clock.advance(200_000);
    await stream.body?.cancel();
    expect(await use("acme/ann", id)).toBe(200);
    await opened.clock.advance(200_000);
    expect(await use("acme/ann", id)).toBe(404);
  });
});

describe("a client of 2025 that takes every type of answer", () => {
  it.each([
    ["Accept: */*", { accept: "*/*" }],
    ["Accept: application/json, */*;q=1.0", { accept: "application/json, */*;q=1.0" }],
    ["no Accept", {}],
  ])("is served: %s", async (_, accept) => {
    const headers = { authorization: "Bearer acme/ann", "content-type": "application/json", ...accept };
    const revision = { ...initialize, params: { ...initialize.params, protocolVersion: "2025-06-18" } };
    const ask = (message: object, id?: string) =>
      opened.door.fetch(
        send({
          method: "POST",
          headers: { ...headers, ...(id !== undefined && { "mcp-session-id": id }) },
          body: JSON.stringify({ jsonrpc: "2.0", id: 1, ...message }),
        }),
      );
    const answer = await ask(revision);
    expect(answer.status).toBe(200);
    expect(await answer.text()).toContain('"protocolVersion":"2025-06-18"');
    const listed = await ask({ method: "tools/list" }, answer.headers.get("mcp-session-id") ?? "");
    expect(await listed.text()).toContain('"wait"');
  });

  it("is refused where it takes one of the two types", async () => {
    const headers = { ...asking("acme/ann"), accept: "application/json" };
    const answer = await opened.door.fetch(
      send({ method: "POST", headers, body: JSON.stringify({ jsonrpc: "2.0", id: 1, ...initialize }) }),
    );
    expect(answer.status).toBe(406);
  });
});
