import { createEngine, defineTool, type EngineOptions, type Principal } from "@toolwright/engine";
import {
  createMemoryEventLog,
  createMemoryRunReader,
  createMemorySessionReader,
  createMemoryUsageReader,
  silentLogger,
} from "@toolwright/engine/ports";
import { onTestFinished } from "vitest";
import { z } from "zod";
import { type Authentication, createRestDoor, type RestDoorOptions } from "../src/rest/index.ts";

export const origin = "http://localhost:7777";

export const ann: Principal = {
  tenant: "acme",
  actor: { kind: "user", id: "ann" },
  permissions: ["log:read", "policy:manage"],
  door: "rest",
};
/** The same name and rights in another tenant. */
export const otherAnn: Principal = { ...ann, tenant: "other" };
export const ci: Principal = { tenant: "acme", actor: { kind: "service", id: "ci" }, permissions: [], door: "rest" };

const callers = new Map([
  ["ann", ann],
  ["other", otherAnn],
  ["ci", ci],
]);

/** The token is the name. */
const byName: Authentication = { open: false, authenticate: (token) => callers.get(token ?? "") };

const text = z.object({ text: z.string() });

export const add = defineTool({
  name: "add",
  description: "Adds two whole numbers.",
  input: z.object({ a: z.int(), b: z.int() }),
  output: z.object({ sum: z.int() }),
  run: ({ a, b }) => ({ sum: a + b }),
});

export const pay = defineTool({
  name: "pay",
  description: "Pays somebody.",
  input: z.object({ to: z.string() }),
  output: text,
  approval: "always_ask",
  effects: { destructive: true },
  run: ({ to }) => ({ text: `Paid ${to}.` }),
});

export const measure = defineTool({
  name: "measure",
  description: "Measures what came with the call.",
  input: z.object({}),
  output: z.object({ files: z.array(z.object({ name: z.string(), mediaType: z.string(), size: z.int() })) }),
  run: async (_, { attachments }) => ({
    files: await Promise.all(attachments.map(async ({ name, mediaType, bytes }) => ({ name, mediaType, size: (await bytes()).length }))),
  }),
});

export const keep = defineTool({
  name: "keep",
  description: "Keeps a text.",
  input: text,
  output: z.object({ id: z.string() }),
  run: async ({ text: content }, { artifacts }) => ({
    id: (await artifacts.save({ name: 'a "b".html', mediaType: "text/html", content })).id,
  }),
});

/** Writes while it runs what its result holds, too. */
export const writer = defineTool({
  name: "write",
  description: "Writes a line.",
  input: z.object({}),
  output: text,
  streamed: ["text"],
  toModel: (output) => [{ type: "text", text: output.text }],
  async run(_, { log, output }) {
    output.append("written\n");
    log("info", "It wrote.");
    return { text: "written\n" };
  },
});

/** Runs until it is let go, or cancelled. */
export function gatedTool() {
  const gate = Promise.withResolvers<void>();
  const begun = Promise.withResolvers<void>();
  const cancelled = Promise.withResolvers<void>();
  const tool = defineTool({
    name: "wait",
    description: "Waits to be let go.",
    input: z.object({}),
    output: text,
    effects: { destructive: true },
    async run(_, { signal, progress, output }) {
      progress(1, 2, "half");
      output.append("working\n");
      signal.addEventListener("abort", () => cancelled.resolve());
      begun.resolve();
      await Promise.race([gate.promise, cancelled.promise]);
      signal.throwIfAborted();
      return { text: "let go" };
    },
  });
  return { tool, letGo: () => gate.resolve(), begun: begun.promise, cancelled: cancelled.promise };
}

interface Opened {
  readonly engine?: EngineOptions;
  readonly door?: Partial<RestDoorOptions>;
}

/** A door on an engine in memory, asked without sockets. It closes with its test. */
export function openRest({ engine: engineOptions, door: doorOptions }: Opened = {}) {
  const events = createMemoryEventLog();
  const engine = createEngine({
    tools: [add, pay, measure],
    policy: "full",
    events,
    logger: silentLogger,
    administration: {
      runs: createMemoryRunReader(events),
      usage: createMemoryUsageReader(events),
      log: createMemorySessionReader(events),
    },
    ...engineOptions,
  });
  const door = createRestDoor({ engine, authentication: byName, ...doorOptions });
  const ask = (method: string, path: string, { as = "ann", body, headers = {}, signal }: Asked = {}) =>
    door.fetch(
      new Request(`${origin}${path}`, {
        method,
        headers: {
          host: "localhost:7777",
          authorization: `Bearer ${as}`,
          ...(typeof body === "string" && { "content-type": "application/json" }),
          ...headers,
        },
        ...(body !== undefined && { body }),
        ...(signal && { signal }),
      }),
    );
  const call = (name: string, input: unknown, asked: Omit<Asked, "body"> = {}) =>
    ask("POST", `/api/tools/${name}/call`, { ...asked, body: JSON.stringify(input) });
  const close = async () => {
    await door.close();
    await engine.close();
  };
  onTestFinished(close);
  return { engine, events, door, ask, call, close };
}

export interface Asked {
  readonly as?: string;
  readonly body?: string | FormData;
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
}
