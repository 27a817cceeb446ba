import { defineTool, type JsonObject } from "@toolwright/engine";
import { fitsSchema } from "@toolwright/engine/schema";
import { operations } from "@toolwright/engine/subjects";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { add, ann, measure, openRest, pay } from "../../../test/rest-client.ts";
import { openAccess } from "../../http/authentication.ts";
import type { Webhooks } from "../webhooks/webhooks.ts";
import { describeApi } from "./document.ts";

interface Document {
  readonly openapi: string;
  readonly security: readonly JsonObject[];
  readonly tags: readonly { readonly name: string }[];
  readonly paths: Readonly<
    Record<string, Readonly<Record<string, JsonObject & { readonly operationId: string; readonly tags: readonly string[] }>>>
  >;
  readonly components: Readonly<Record<string, Readonly<Record<string, JsonObject>>>>;
}
const read = async (ask: ReturnType<typeof openRest>["ask"], as = "ann") =>
  (await (await ask("GET", "/api/openapi.json", { as })).json()) as Document;

/** Everything that refers to something in the document. */
function* references(value: unknown): Generator<string> {
  if (typeof value !== "object" || value === null) return;
  if ("$ref" in value && typeof value.$ref === "string") yield value.$ref;
  for (const below of Object.values(value)) yield* references(below);
}

const has = (document: unknown, reference: string) =>
  reference
    .slice(2)
    .split("/")
    .reduce<unknown>((at, part) => (at as Record<string, unknown> | undefined)?.[part], document) !== undefined;

describe("the OpenAPI document", () => {
  it("has a path for each tool of the caller, with its schemas and the examples that are whole inputs", async () => {
    const sum = defineTool({
      ...add,
      examples: [
        { label: "Two numbers", input: { a: 1, b: 2 } },
        { label: "One number", input: { a: 1 } },
      ],
    });
    const document = await read(openRest({ engine: { tools: [sum, pay] } }).ask);
    expect(document.openapi).toBe("3.1.1");
    expect(Object.keys(document.paths)).toEqual(expect.arrayContaining(["/tools/add/call", "/tools/pay/call"]));
    expect(document.paths["/tools/add/call"]?.post).toMatchObject({
      operationId: "call.add",
      requestBody: {
        required: true,
        content: {
          "application/json": {
            schema: { $ref: "#/components/schemas/add.input" },
            examples: { example1: { summary: "Two numbers", value: { a: 1, b: 2 } } },
          },
        },
      },
    });
    expect(JSON.stringify(document.paths["/tools/add/call"])).not.toContain("One number");
    expect(document.components.schemas?.["add.output"]).toMatchObject({ properties: { sum: { type: "integer" } }, required: ["sum"] });
    expect(document.paths["/tools/pay/call"]?.post?.["x-toolwright"]).toMatchObject({ approval: "always_ask", destructiveHint: true });
  });

  it("keeps the length of tuples, and the definitions of what contains itself", async () => {
    const tree: z.ZodType = z.lazy(() => z.object({ name: z.string(), below: z.array(tree) }));
    const walk = defineTool({
      ...{ name: "walk", description: "Walks.", schemaExceptions: ["no_recursion"] },
      input: z.object({ tree }),
      output: z.object({ place: z.tuple([z.number(), z.number()]) }),
      run: () => ({ place: [0, 0] as [number, number] }),
    });
    const document = await read(openRest({ engine: { tools: [walk] } }).ask);
    expect(document.components.schemas?.["walk.output"]).toMatchObject({ properties: { place: { prefixItems: [{}, {}] } } });
    const found = [...new Set(references(document))];
    expect(found.length).toBeGreaterThan(20);
    expect(found.filter((reference) => !has(document, reference))).toEqual([]);
    expect(has(document, "#/components/schemas/nothing")).toBe(false);
  });

  it("has the operations that the caller may use, and that the server can do, at their routes", async () => {
    const { ask, engine } = openRest();
    const idsOf = async (as: string) =>
      Object.values((await read(ask, as)).paths).flatMap((methods) => Object.values(methods).map(({ operationId }) => operationId));
    const [ofAnn, ofService] = [await idsOf("ann"), await idsOf("ci")];
    expect(ofAnn).toEqual(expect.arrayContaining(["runs.list", "policy.put", "approvals.answer", "approvals.run", "artifacts.content"]));
    expect(ofService).not.toContain("runs.list");
    expect(ofService).not.toContain("policy.put");
    // Nobody gave the engine people or secrets.
    expect(ofAnn).not.toContain("users.list");
    const given = ["runs", "usage", "log"];
    for (const { name, needs } of operations) {
      const asked = engine.operateNamed({ tenant: "acme", actor: { kind: "service", id: "ci" } }, name, null);
      const isAllowed = await asked.catch((error: { readonly code: string }) => error.code !== "operation_not_allowed");
      expect([name, ofService.includes(name)]).toEqual([name, isAllowed && needs.every((port) => given.includes(port.name))]);
    }
  });

  it("names each parameter where the route has it", async () => {
    const { paths } = await read(openRest().ask);
    const parametersOf = (path: string, method: string) => paths[path]?.[method]?.parameters;
    expect(parametersOf("/tools/{name}/schema", "get")).toMatchObject([
      { name: "name", in: "path", required: true },
      { name: "target", in: "query", required: true, schema: { enum: expect.arrayContaining(["gemini"]) } },
    ]);
    expect(parametersOf("/policy", "put")).toContainEqual({ $ref: "#/components/parameters/IfMatch" });
    expect(paths["/policy"]?.get?.responses).toHaveProperty("304");
    expect(JSON.stringify(paths["/events"]?.get)).toMatch(/LastEventId.*text\/event-stream/);
  });

  it("describes what calls are really answered", async () => {
    const { ask, call } = openRest({
      engine: { tools: [add, pay, measure], policy: { version: 1, autonomy: "full", tools: { deny: ["measure"] } } },
    });
    const { components } = await read(ask);
    const fits = (name: string, value: unknown) => fitsSchema({ $ref: `#/components/schemas/${name}`, components }, value);
    const answers = [
      ["DoneResult", 200, await call("add", { a: 1, b: "2" })],
      ["PendingResult", 202, await call("pay", { to: "bob" })],
      ["RunningCall", 202, await call("add", { a: 1, b: 2 }, { headers: { prefer: "respond-async" } })],
      ["ClientProblem", 422, await call("add", { a: "one" })],
      ["ClientProblem", 403, await call("measure", {})],
      ["ClientProblem", 404, await call("nothing", {})],
      ["ClientProblem", 401, await call("add", {}, { as: "nobody" })],
    ] as const;
    for (const [name, status, response] of answers) {
      const value: unknown = await response.json();
      expect([name, response.status, fits(name, value)]).toEqual([name, status, true]);
      expect([name, fits("ServerProblem", value)]).toEqual([name, false]);
    }
  });

  it("has the addresses of webhooks where the server takes them, which need no key", async () => {
    const webhooks: Webhooks = { verify: async () => undefined, confirm: async () => "7" };
    const { ask } = openRest({ door: { webhooks } });
    const document = await read(ask);
    const { post, get } = document.paths["/hooks/{hook}"] ?? {};
    expect(post).toMatchObject({ operationId: "hooks.receive", security: [] });
    expect(JSON.stringify(post?.parameters)).toMatch(/webhook-id.*webhook-timestamp.*webhook-signature.*x-hub-signature-256/);
    expect(Object.keys(post?.responses ?? {}).toSorted()).toEqual(["202", "400", "404", "409", "413", "429", "4XX", "5XX"]);
    expect(get).toMatchObject({ operationId: "hooks.confirm", security: [], responses: { "200": { content: { "text/plain": {} } } } });
    const forged = await ask("POST", "/api/hooks/hook_1", { body: "{}" });
    expect([
      forged.status,
      fitsSchema({ $ref: "#/components/schemas/ClientProblem", components: document.components }, await forged.json()),
    ]).toEqual([404, true]);
    expect((await read(openRest().ask)).paths).not.toHaveProperty("/hooks/{hook}");
  });

  it("says whether a key is needed", async () => {
    expect((await read(openRest().ask)).security).toEqual([{ key: [] }]);
    const authentication = openAccess(ann);
    expect((await read(openRest({ door: { authentication } }).ask)).security).toEqual([{}, { key: [] }]);
  });

  it("is not sent again while nothing of it changed for the caller", async () => {
    const { ask, engine } = openRest();
    const first = await ask("GET", "/api/openapi.json");
    const tag = first.headers.get("etag") ?? "";
    const again = (as: string) => ask("GET", "/api/openapi.json", { as, headers: { "if-none-match": `"x", ${tag}` } });
    expect((await again("ann")).status).toBe(304);
    expect((await again("ci")).status).toBe(200);
    engine.register([defineTool({ ...add, name: "subtract" })]);
    const changed = await again("ann");
    expect(changed.status).toBe(200);
    expect(await changed.text()).toContain("/tools/subtract/call");
    expect(changed.headers.get("etag")).not.toBe(tag);
    engine.setPolicy({ deny: ["pay"] });
    expect(await (await ask("GET", "/api/openapi.json")).text()).not.toContain("/tools/pay/call");
  });

  it("is written once for each tool, and again for one that changed", async () => {
    const { engine } = openRest();
    const person = { tenant: "acme", actor: { kind: "user", id: "ann" } } as const;
    const server = { name: "test", version: "1", base: "/api", open: false };
    const describeTools = async () => {
      const { items: tools } = await engine.operate(person, "tools.list", {});
      return describeApi({ operations: [], tools }, server);
    };
    const [first, second] = [await describeTools(), await describeTools()];
    expect(second.revision).toBe(first.revision);
    expect(second.endpoints.every((endpoint, index) => endpoint === first.endpoints[index])).toBe(true);
    const { items: tools } = await engine.operate(person, "tools.list", {});
    const renamed = describeApi({ operations: [], tools: tools.map((tool) => ({ ...tool, title: `${tool.title} here` })) }, server);
    expect(renamed.revision).not.toBe(first.revision);
    expect(describeApi({ operations: [], tools }, { ...server, version: "2" }).revision).not.toBe(first.revision);
  });

  it("shows a stranger nothing", async () => {
    expect((await openRest().ask("GET", "/api/openapi.json", { as: "nobody" })).status).toBe(401);
  });
});
