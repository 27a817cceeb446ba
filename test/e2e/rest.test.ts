import { mkdir, writeFile } from "node:fs/promises";
import { connect } from "node:net";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { Place } from "./run-cli.ts";
import { type Served, startServer } from "./served.ts";

let place: Place;
let served: Served;
const keys = new Map<string, string>();

beforeAll(async () => {
  place = await Place.make("server");
  await mkdir(place.path("workspace"));
  await writeFile(place.path("workspace", "notes.txt"), "three short words");
  await writeFile(place.path("policy.yaml"), "version: 1\nautonomy: full\ntools: { ask: [file_write] }\n");
  for (const tenant of ["acme", "other"]) {
    const made = await place.run([
      "keys",
      "create",
      "k",
      "--tenant",
      tenant,
      "--permission",
      "*.*.*",
      "--permission",
      "log:read",
      "--json",
    ]);
    expect(made.code, made.err).toBe(0);
    keys.set(tenant, (JSON.parse(made.out) as { key: string }).key);
  }
  served = await startServer(place, ["--policy", "policy.yaml"]);
});
afterAll(() => place.remove());

interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly body: Record<string, unknown>;
}

async function ask(method: string, path: string, { as, ...init }: RequestInit & { readonly as?: string } = {}): Promise<Answer> {
  const headers = new Headers(init.headers);
  if (typeof init.body === "string") headers.set("content-type", "application/json");
  if (as !== undefined) headers.set("authorization", `Bearer ${keys.get(as)}`);
  const { status, headers: given, ...response } = await fetchAll(new URL(path, served.listens), { ...init, method, headers });
  return { status, headers: given, body: JSON.parse(response.text || "{}") as Record<string, unknown> };
}

async function fetchAll(url: URL, init: RequestInit) {
  const response = await fetch(url, init);
  return { status: response.status, headers: response.headers, text: await response.text() };
}

const call = (tool: string, input: unknown, init: Parameters<typeof ask>[2] = {}) =>
  ask("POST", `/api/tools/${tool}/call`, { ...init, body: JSON.stringify(input) });

describe("the server over REST", () => {
  test("lists tools, calls one, and tells of the run", async () => {
    const { body } = await ask("GET", "/api/tools");
    expect((body.items as { name: string }[]).map(({ name }) => name)).toContain("file_read");
    const read = await call("file_read", { path: "notes.txt" });
    expect(read).toMatchObject({ status: 200, body: { status: "done", output: { text: "three short words" } } });
    await expect.poll(async () => (await ask("GET", `/api/runs/${String(read.body.callId)}`)).body.status).toBe("success");
  });

  test("has a call approved by its owner, and runs it once", async () => {
    const pending = await call("file_write", { path: "new.txt", content: "hello" });
    expect(pending.status).toBe(202);
    const place = pending.headers.get("location") ?? "";
    const answered = await ask("POST", `${place}/answer`, { body: JSON.stringify({ outcome: { kind: "approve" } }) });
    expect(answered).toMatchObject({ status: 200, body: { answer: { outcome: { kind: "approve" } } } });
    expect(await call("file_write", { path: "new.txt", content: "hello" })).toMatchObject({ status: 200, body: { status: "done" } });
    expect((await ask("POST", `${place}/run`)).body.code).toBe("approval_used");
  });

  test("keeps two tenants apart, in the words for what there is not", async () => {
    const made = await call("file_list", { path: "." }, { as: "acme" });
    const id = String(made.body.callId);
    await expect.poll(async () => (await ask("GET", `/api/runs/${id}`, { as: "acme" })).status).toBe(200);
    const foreign = await ask("GET", `/api/runs/${id}`, { as: "other" });
    expect(foreign).toMatchObject({ status: 404, body: { code: "run_not_found" } });
    expect(JSON.stringify(foreign.body).replaceAll(id, "X")).toBe(
      JSON.stringify((await ask("GET", "/api/runs/call_none", { as: "other" })).body).replaceAll("call_none", "X"),
    );
    expect((await ask("GET", "/api/runs", { as: "other" })).body.items).toEqual([]);
    const cursor = (await ask("GET", "/api/runs?limit=1", { as: "acme" })).body.next ?? `9999999999999_${id}`;
    expect((await ask("GET", `/api/runs?after=${String(cursor)}`, { as: "other" })).body.items).toEqual([]);
    const asked = await call("file_write", { path: "a.txt", content: "a" }, { as: "acme" });
    expect((await ask("GET", asked.headers.get("location") ?? "", { as: "other" })).status).toBe(404);
  });

  test("runs a hundred calls with one key once", async () => {
    const headers = { "idempotency-key": "same" };
    const answers = await Promise.all(Array.from({ length: 100 }, () => call("file_read", { path: "notes.txt" }, { headers })));
    expect(new Set(answers.map(({ status, body }) => `${status} ${String(body.callId)}`)).size).toBe(1);
  });

  test("does the operations of the command line, with the output that it has beside the store", async () => {
    const env = { TOOLWRIGHT_KEY: keys.get("acme"), DATABASE_URL: undefined, TOOLWRIGHT_STATE: place.path("elsewhere") };
    const there = async (...argv: string[]) => {
      const { code, out, err } = await place.run([...argv, "--server", served.listens], { env });
      expect(code, err).toBe(0);
      return out;
    };
    const read = await call("file_read", { path: "nothing.txt" }, { as: "acme" });
    const id = String(read.body.callId);
    await expect.poll(() => there("runs", "show", id), { timeout: 10_000 }).toContain("file_read");
    const [here] = await Promise.all([place.run(["runs", "show", id, "--tenant", "acme"])]);
    expect(await there("runs", "show", id)).toBe(here.out);
    expect((await place.run(["runs", "list", "--server", served.listens, "--tenant", "acme"], { env })).code).toBe(2);
  });

  test("makes the calls of the command line, and runs them once a person approved", async () => {
    const there = (...argv: string[]) =>
      place.run(argv, { env: { TOOLWRIGHT_KEY: keys.get("acme"), DATABASE_URL: undefined, TOOLWRIGHT_STATE: place.path("elsewhere") } });
    const server = ["--server", served.listens];
    expect(await there("call", ...server, "file_list", "--path", ".", "--json")).toMatchObject({
      code: 0,
      out: expect.stringContaining('"done"'),
    });
    const asked = await there("call", ...server, "file_write", "--path", "there.txt", "--content", "hello");
    expect(asked.code).toBe(4);
    const id = /apr_[\w-]+/.exec(asked.err)?.[0] ?? "";
    expect(asked.err).toContain(`approvals run ${id} --server ${served.listens}`);
    expect((await place.run(["approvals", "approve", id, "--tenant", "acme"])).code).toBe(0);
    expect((await there("approvals", "run", id, ...server)).code).toBe(0);
    expect(await there("call", ...server, "file_raed")).toMatchObject({ code: 2, err: expect.stringContaining("file_raed") });
  });

  test("refuses strangers and large bodies, and frees the connection of a slow one", async () => {
    expect(await ask("GET", "/api/tools", { headers: { authorization: "Bearer tw_none" } })).toMatchObject({ status: 401 });
    expect(await call("file_read", { path: "x".repeat(5_000_000) })).toMatchObject({ status: 413, body: { code: "request_too_large" } });
    const { hostname, port } = new URL(served.listens);
    const socket = connect(Number(port), hostname);
    const heard = new Promise<string>((resolve) => {
      let text = "";
      socket.on("data", (chunk) => {
        text += String(chunk);
      });
      socket.on("close", () => resolve(text));
    });
    socket.write(`POST /api/tools/file_read/call HTTP/1.1\r\nHost: ${hostname}\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\n{}`);
    expect(await heard).toMatch(/^HTTP\/1\.1 400 /);
  });
});
