import { digest } from "@toolwright/engine/ports";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { type ServedHere, serveHere } from "../../packages/cli/test/serve-here.ts";

type Answer = { readonly status: number; readonly text: string };
type Asked = { readonly method?: string; readonly body?: object | FormData; readonly session?: string };

interface Person {
  readonly id: string;
  readonly key: string;
  ask(path: string, asked?: Asked): Promise<Answer>;
  /** In the session that is named, or in the default one. */
  call(tool: string, input: object, session?: string): Promise<Record<string, unknown>>;
  mcp(method: string, params: object, version?: string): Promise<string>;
}

let server: ServedHere;
let ann: Person;
let bob: Person;

/** What Ann has in her own sessions: their ids, and what belongs to them. */
const hers = { rest: "", mcp: "", named: "", conversation: "", turn: "", artifact: "", run: "" };

beforeAll(async () => {
  server = await serveHere(["--auth"]);
  [ann, bob] = [await enter("ann@example.org"), await enter("bob@example.org")];
  hers.rest = await sessionAfter(ann, await ann.call("file_list", { path: "." }));
  hers.named = await sessionAfter(ann, await ann.call("file_list", { path: "." }, "offers"));
  const over = JSON.parse(await ann.mcp("tools/call", { name: "file_list", arguments: { path: "." } }));
  hers.mcp = await sessionAfter(ann, { callId: over.result._meta["dev.toolwright/call"].callId });
  const form = new FormData();
  form.set("input", JSON.stringify({ agent: "assistant", message: "Keep this." }));
  form.set("file", new File(["a secret of Ann"], "notes.txt", { type: "text/plain" }));
  const said = JSON.parse((await ann.ask("/tools/agent_run/call", { method: "POST", body: form })).text);
  Object.assign(hers, { conversation: said.output.conversation, turn: said.output.turn, run: said.callId });
  const kept = JSON.parse((await ann.ask(`/artifacts?session=${hers.conversation}`)).text);
  hers.artifact = kept.items[0].id;
});
afterAll(() => server?.stop());

async function enter(email: string): Promise<Person> {
  await server.person(email);
  const key = await server.run("keys", "create", "k", "--user", email, "--permission", "*.*.*", "agents:run");
  const send = async (path: string, init: RequestInit): Promise<Answer> => {
    const response = await fetch(`${server.url}${path}`, { ...init, headers: { authorization: `Bearer ${key}`, ...init.headers } });
    return { status: response.status, text: await response.text() };
  };
  const ask: Person["ask"] = (path, { method = "GET", body, session } = {}) =>
    send(`/api${path}`, {
      method,
      headers: {
        ...(body !== undefined && !(body instanceof FormData) && { "content-type": "application/json" }),
        ...(session !== undefined && { "toolwright-session": session }),
      },
      ...(body !== undefined && { body: body instanceof FormData ? body : JSON.stringify(body) }),
    });
  const me = JSON.parse((await ask("/me")).text) as { actor: { id: string } };
  return {
    ...{ id: me.actor.id, key, ask },
    call: async (tool, input, session) =>
      JSON.parse((await ask(`/tools/${tool}/call`, { method: "POST", body: input, ...(session !== undefined && { session }) })).text),
    async mcp(method, params, version = "2026-07-28") {
      const meta = {
        "io.modelcontextprotocol/protocolVersion": version,
        "io.modelcontextprotocol/clientInfo": { name: "attack", version: "1" },
        "io.modelcontextprotocol/clientCapabilities": {},
      };
      const headers = {
        "content-type": "application/json",
        accept: "application/json, text/event-stream",
        "mcp-protocol-version": version,
        "mcp-method": method,
        ...("name" in params && { "mcp-name": String(params.name) }),
        ...("uri" in params && { "mcp-name": String(params.uri) }),
      };
      const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method, params: { ...params, _meta: meta } });
      return (await send("/mcp", { method: "POST", headers, body })).text;
    },
  };
}

/** The session that a call was made in, as its caller reads it in the record, which may be written shortly after the answer. */
async function sessionAfter(person: Person, { callId }: Record<string, unknown>): Promise<string> {
  const sessionOf = async () => JSON.parse((await person.ask(`/runs/${callId}`)).text).session as string | undefined;
  return vi.waitFor(async () => (await sessionOf()) ?? Promise.reject(new Error(`The record of ${callId} is not written yet.`)), 15_000);
}

/** All that a member can compute from ids that people of a tenant see: of themselves in lists, shares, approvals and rooms. */
const computable = (id: string): readonly string[] => {
  const keys = [
    ["default", "user", id, null],
    ["default", "user", id, null, false],
  ].map((parts) => digest(parts));
  const keyed = ["rest", "mcp"].flatMap((door) => keys.map((key) => `${door}-${key.slice(0, 16)}`));
  const today = new Date().toISOString().slice(0, 10);
  return [...keyed, id, `rest-${id}`, `user:${id}`, "mcp-stdio", `cli-${today}`, "offers"];
};

const known = () => [...computable(ann.id), hers.rest, hers.mcp, hers.named, hers.conversation];
/** The words for what there is not, with the name taken out. */
const plain = ({ status, text }: Answer, name: string) => [
  status,
  text.replaceAll(name, "NAME").replaceAll(encodeURIComponent(name), "NAME"),
];
const missing = "ses_AAAAAAAAAAAAAAAAAAAAAA";

describe("another person of the tenant (R-SE-1)", () => {
  test("finds no id of a session that can be computed", () => {
    const ids = [hers.rest, hers.mcp, hers.named, hers.conversation];
    for (const id of ids) expect(id).toMatch(/^ses_[\w-]{22}$/);
    expect(new Set(ids).size).toBe(4);
    for (const guess of computable(ann.id)) expect(ids).not.toContain(guess);
  });

  test.each<[string, (session: string) => [string, Asked?]]>([
    ["its artifacts", (session) => [`/artifacts?session=${encodeURIComponent(session)}`]],
    ["its events", (session) => [`/events?session=${encodeURIComponent(session)}`]],
    ["the chain of its log", (session) => [`/events/report?session=${encodeURIComponent(session)}`]],
    ["the session itself", (session) => [`/sessions/${encodeURIComponent(session)}`]],
    ["its title", (session) => [`/sessions/${encodeURIComponent(session)}`, { method: "PATCH", body: { title: "Mine" } }]],
    ["a share", (session) => [`/sessions/${encodeURIComponent(session)}/share`, { method: "POST", body: { with: bob.id } }]],
    ["its messages", (session) => [`/sessions/${encodeURIComponent(session)}/messages`]],
    ["its page in the browser", (session) => [`/browsers/${encodeURIComponent(session)}/frame`]],
    ["the end of its page", (session) => [`/browsers/${encodeURIComponent(session)}`, { method: "DELETE" }]],
  ])("is answered as for a missing session when asking for %s", async (_, request) => {
    for (const name of known()) {
      const [path, asked] = request(name);
      const [none, askedNone] = request(missing);
      const answer = await bob.ask(path, asked);
      expect(plain(answer, name), name).toEqual(plain(await bob.ask(none, askedNone), missing));
      expect(answer.status, name).toBe(404);
    }
  });

  test("lists nothing of it", async () => {
    for (const path of ["/sessions", "/turns", "/browsers", `/turns?conversation=${hers.conversation}`, "/runs/"]) {
      const { text } = await bob.ask(path);
      for (const secret of [hers.rest, hers.mcp, hers.named, hers.turn, hers.artifact, hers.run]) expect(text).not.toContain(secret);
    }
  });

  test("reaches no artifact, turn or run of hers by its id, at any door", async () => {
    const one = (path: string, id: string) => bob.ask(path.replace("ID", id));
    for (const [path, id, none] of [
      ["/artifacts/ID", hers.artifact, "art_none"],
      ["/artifacts/ID/content", hers.artifact, "art_none"],
      ["/turns/ID", hers.turn, "trn_none"],
      ["/turns/ID/parts", hers.turn, "trn_none"],
      ["/turns/ID/stream", hers.turn, "trn_none"],
      ["/runs/ID", hers.run, "call_none"],
      ["/runs/ID/why", hers.run, "call_none"],
    ] as const)
      expect(plain(await one(path, id), id), path).toEqual(plain(await one(path, none), none));
    const read = (id: string) => bob.mcp("resources/read", { uri: `artifact://${id}` });
    expect((await read(hers.artifact)).replaceAll(hers.artifact, "ID")).toBe((await read("art_none")).replaceAll("art_none", "ID"));
    for (const [tool, input] of [
      ["artifact_read", { id: hers.artifact }],
      ["document_read", { attachment: hers.artifact }],
    ] as const)
      expect(JSON.stringify(await bob.call(tool, input))).not.toContain("a secret of Ann");
    const message = { agent: "assistant", message: "Read it.", attachments: [hers.artifact] };
    expect(await bob.call("agent_run", message)).toMatchObject({ code: "artifact_not_found" });
    const into = { agent: "assistant", message: "Hello", conversation: hers.conversation };
    expect(await bob.call("agent_run", into)).toMatchObject({ code: "session_not_found" });
  });

  test("calls in none of them: a name is a session of the caller, an id is a missing one", async () => {
    const before = await eventsOf();
    for (const name of computable(ann.id)) {
      const session = await sessionAfter(bob, await bob.call("file_list", { path: "." }, name));
      expect([hers.rest, hers.mcp, hers.named, hers.conversation], name).not.toContain(session);
    }
    for (const id of [hers.rest, hers.mcp, hers.named, hers.conversation]) {
      const asked = (session: string): Asked => ({ method: "POST", body: { path: "." }, session });
      const answer = await bob.ask("/tools/file_list/call", asked(id));
      expect(plain(answer, id)).toEqual(plain(await bob.ask("/tools/file_list/call", asked(missing)), missing));
      expect(JSON.parse(answer.text)).toMatchObject({ status: 404, code: "session_not_found" });
    }
    expect(await eventsOf()).toEqual(before);
  });

  test("takes no name first, and hears nothing of who uses it", async () => {
    const [first, second] = [
      await sessionAfter(bob, await bob.call("file_list", { path: "." }, "release-plan")),
      await sessionAfter(ann, await ann.call("file_list", { path: "." }, "release-plan")),
    ];
    expect(first).not.toBe(second);
    const make = (person: Person) => person.ask("/sessions", { method: "POST", body: { name: "budget" } });
    expect([(await make(bob)).status, (await make(ann)).status, (await make(bob)).status]).toEqual([201, 201, 422]);
    expect(JSON.parse((await ann.ask("/sessions/budget")).text)).toMatchObject({ owner: ann.id, name: "budget" });
  });

  test("uses what is shared until it is not, and shares nothing further", async () => {
    const share = (person: Person, what: "share" | "unshare") =>
      person.ask(`/sessions/${hers.named}/${what}`, { method: "POST", body: { with: bob.id } });
    expect((await share(ann, "share")).status).toBe(200);
    expect(await bob.call("file_list", { path: "." }, hers.named)).toMatchObject({ status: "done" });
    expect((await bob.ask(`/events?session=${hers.named}`)).status).toBe(200);
    expect((await share(bob, "share")).status).toBe(403);
    expect((await share(ann, "unshare")).status).toBe(200);
    expect(await bob.call("file_list", { path: "." }, hers.named)).toMatchObject({ code: "session_not_found" });
    expect((await bob.ask(`/events?session=${hers.named}`)).status).toBe(404);
  });
});

async function eventsOf(): Promise<readonly number[]> {
  const counts: number[] = [];
  for (const session of [hers.rest, hers.mcp, hers.named, hers.conversation])
    counts.push(JSON.parse((await ann.ask(`/events?session=${session}&limit=1000`)).text).items.length);
  return counts;
}
