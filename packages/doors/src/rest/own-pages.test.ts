import { openAccess } from "@toolwright/doors/mcp";
import { defineTool } from "@toolwright/engine";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { ann, openRest, origin } from "../../test/rest-client.ts";

/** A server on somebody's own machine, which asks nobody who they are. */
function open(ownPages: { readonly origin?: string } = {}) {
  const opened = openRest({ door: { authentication: openAccess(ann), ownPages } });
  const call = (headers: Record<string, string>, method = "POST") =>
    opened.door.fetch(
      new Request(`${origin}/api/tools/add/call`, {
        method,
        headers: { host: "localhost:7777", ...headers },
        ...(method === "POST" && { body: '{"a":1,"b":2}' }),
      }),
    );
  return { ...opened, call };
}
const json = { "content-type": "application/json" };

describe("where a page may change something (R-UI-3)", () => {
  it.each([
    { name: "a program", headers: json },
    { name: "the server's own page", headers: { ...json, origin, "sec-fetch-site": "same-origin" } },
    {
      name: "a page with a key, which no other page can send",
      headers: { ...json, origin: "http://localhost:3000", authorization: "Bearer x" },
    },
  ])("$name may", async ({ headers }) => {
    expect((await open().call(headers)).status).toBe(200);
  });

  it.each([
    { name: "another port of the machine", headers: { ...json, origin: "http://localhost:3000", "sec-fetch-site": "same-site" } },
    { name: "another name of the machine", headers: { ...json, origin: "http://127.0.0.1:7777" } },
    { name: "another scheme", headers: { ...json, origin: "https://localhost:7777" } },
    { name: "another site", headers: { ...json, origin: "https://evil.example" } },
    { name: "a page without an origin", headers: { ...json, origin: "null" } },
    { name: "another site that hides its origin", headers: { ...json, "sec-fetch-site": "cross-site" } },
    { name: "a form of another port", headers: { "content-type": "text/plain", origin: "http://localhost:3000" } },
  ])("$name may not", async ({ headers }) => {
    const refused = await open().call(headers);
    expect(refused.status).toBe(403);
    expect(await refused.json()).toMatchObject({ code: "request_refused" });
  });

  it("goes by the address under which people reach the server, where that is set", async () => {
    const { call } = open({ origin: "https://tools.example.org" });
    expect((await call({ ...json, origin })).status).toBe(403);
    const refused = await call({ ...json, origin: "https://tools.example.org" });
    // The host name of a page is another rule's.
    expect(await refused.json()).toMatchObject({ detail: expect.stringMatching(/^Invalid Origin/) });
  });

  it("is nothing that reading needs, as nobody else can read the answer", async () => {
    const { ask } = open();
    const headers = { host: "localhost:7777", origin: "http://localhost:3000", "sec-fetch-site": "same-site" };
    expect((await ask("GET", "/api/tools", { headers })).status).toBe(200);
  });
});

describe("the door that a call is logged under", () => {
  const doorOf = async (headers: Record<string, string>) => {
    const { call, ask } = open();
    await call({ ...json, ...headers });
    return ((await (await ask("GET", "/api/runs")).json()) as { readonly items: readonly object[] }).items[0];
  };
  it("is a form's where a page of the server made it", async () => {
    expect(await doorOf({ origin, "sec-fetch-site": "same-origin" })).toMatchObject({ door: "form", source: "web" });
  });
  it("is REST's for programs", async () => {
    expect(await doorOf({})).toMatchObject({ door: "rest", source: "api" });
  });
});

describe("a field that a tool keeps from forms", () => {
  const traced = defineTool({
    name: "traced",
    description: "Takes what forms do not send.",
    input: z.object({ a: z.int().default(1), trace: z.string().optional() }),
    output: z.object({ trace: z.string() }),
    aliases: { track: "trace" },
    presentation: { form: { version: 1, internal: ["trace"] } },
    run: ({ trace = "none" }) => ({ trace }),
  });
  const call = (headers: Record<string, string>, body: object) => {
    const opened = openRest({ engine: { tools: [traced] }, door: { authentication: openAccess(ann), ownPages: {} } });
    const request = { method: "POST", headers: { ...json, host: "localhost:7777", ...headers }, body: JSON.stringify(body) };
    return opened.door.fetch(new Request(`${origin}/api/tools/traced/call`, request));
  };
  const ownPage = { origin, "sec-fetch-site": "same-origin" };

  it("is refused from a page of the server, with the field", async () => {
    const refused = await call(ownPage, { a: 1, trace: "x" });
    expect(refused.status).toBe(422);
    expect(await refused.json()).toMatchObject({
      code: "invalid_input",
      detail: "No form fills trace of traced. Leave it out.",
      issues: [{ pointer: "/trace", message: "No form fills this field." }],
    });
  });

  it("is refused under its other name, too", async () => {
    expect((await call(ownPage, { track: "x" })).status).toBe(422);
  });

  it("is taken from programs, and a form without it runs", async () => {
    expect(await (await call({}, { trace: "x" })).json()).toMatchObject({ output: { trace: "x" } });
    expect(await (await call(ownPage, { a: 1 })).json()).toMatchObject({ output: { trace: "none" } });
  });
});
