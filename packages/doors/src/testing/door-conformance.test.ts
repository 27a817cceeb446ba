import { defineTool } from "@toolwright/engine";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { openAccess } from "../mcp/index.ts";
import { createRestDoor } from "../rest/index.ts";
import { aiSDKDoor } from "./ai-sdk-door.ts";
import { describeDoors } from "./describe-doors.ts";
import { answerOf, type DoorAdapter, type DoorClient, type DoorWorld } from "./door-adapter.ts";
import { formDoor } from "./form-door.ts";
import { inProcessDoor } from "./in-process-door.ts";
import { doorConformance } from "./run-matrix.ts";
import { secretValue } from "./subjects.ts";

const greet = defineTool({
  name: "greet",
  description: "Greets somebody by name. To greet several people call it several times.",
  input: z.object({ name: z.string().describe("Whom to greet") }),
  output: z.object({ text: z.string() }),
  examples: [{ label: "A person", input: { name: "Ann" } }],
  run: ({ name }) => ({ text: `Hello, ${name}.` }),
});
const erase = defineTool({ ...greet, name: "erase", effects: { destructive: true }, run: () => ({ text: "erased" }) });

it("finds no difference between the doors of this package, and runs no example that changes something", async () => {
  let erased = 0;
  const counted = defineTool({ ...erase, run: () => ({ text: `erased ${++erased}` }) });
  const report = await doorConformance({ tools: [greet, counted], doors: [aiSDKDoor] });
  expect(describeDoors(report)).toMatch(/^7 tools, 5 callers, 6 doors, \d+ calls compared \(seed 1\): no difference\.\n$/m);
  expect(report.cells.filter(({ differences }) => differences.length > 0)).toEqual([]);
  expect(erased).toBe(0);
});

it("finds no difference in a field that a tool keeps from forms", async () => {
  const traced = defineTool({
    ...greet,
    input: greet.input.extend({ trace: z.string().optional().describe("Who asks") }),
    examples: [{ label: "A person", input: { name: "Ann", trace: "t1" } }],
    presentation: { form: { version: 1, internal: ["trace"] } },
  });
  const form = formDoor(async ({ engine, principal }) => {
    const door = createRestDoor({ engine, authentication: openAccess(principal), ownPages: {} });
    return { origin: "http://localhost", fetch: door.fetch, close: () => door.close() };
  });
  const report = await doorConformance({ tools: [traced], doors: [form] });
  expect(report.cells.filter(({ differences }) => differences.length > 0)).toEqual([]);
});

/** A door like the scope, but for what `spoil` makes of it. */
const spoilt = (spoil: (client: DoorClient, world: DoorWorld) => Partial<DoorClient>): DoorAdapter => ({
  name: "spoilt",
  async open(world) {
    const client = await inProcessDoor("resume").open(world);
    return { ...client, ...spoil(client, world) };
  },
});

describe("a door that is wrong is found:", () => {
  it.each<readonly [string, DoorAdapter, string]>([
    [
      "one without repair",
      spoilt((client) => ({
        call: async (name, input) =>
          typeof (input as { a?: unknown }).a === "string"
            ? { status: "failed", repaired: [], notes: [], artifacts: [], error: { code: "invalid_input", message: "a is no number" } }
            : client.call(name, input),
      })),
      "answer.repaired",
    ],
    ["one without redaction", spoilt((client) => ({ heard: () => `${client.heard()} ${secretValue}` })), "secret"],
    [
      "one with another message",
      spoilt((client) => ({
        async call(name, input) {
          const answer = await client.call(name, input);
          return answer.error ? { ...answer, error: { ...answer.error, message: `Oops: ${answer.error.message}` } } : answer;
        },
      })),
      "answer.error/message",
    ],
    [
      "one that calls twice",
      spoilt((client) => ({
        async call(name, input) {
          await client.call(name, input);
          return client.call(name, input);
        },
      })),
      "events",
    ],
    [
      "one that takes every caller for the same",
      {
        name: "spoilt",
        open: (world) => inProcessDoor("resume").open({ ...world, principal: { ...world.principal, agent: "allowed" } }),
      },
      "answer.status",
    ],
    [
      "one that drops what was cut",
      spoilt((_, { engine, principal, session }) => ({
        async call(name, input) {
          const { cut: __, ...answer } = answerOf(await engine.scope(principal, { session }).invokeNamed(name, input));
          return answer;
        },
      })),
      "answer.cut",
    ],
    [
      "one that breaks",
      spoilt(() => ({
        call: () => Promise.reject(new Error("The connection is gone.")),
      })),
      "answer.error",
    ],
  ])("%s", async (_, door, part) => {
    const report = await doorConformance({ tools: [greet], doors: [door] });
    const parts = report.cells.flatMap((cell) => (cell.door === "spoilt" ? cell.differences.map((difference) => difference.part) : []));
    expect(parts.some((found) => found === part || found.startsWith(`${part}/`))).toBe(true);
    expect(describeDoors(report)).toContain("    the door  ");
  });

  it("one that lists a hidden tool", async () => {
    const door = spoilt((client, { engine }) => ({
      list: async () => [
        ...(await client.list()),
        ...engine.snapshot().tools.map(({ name, definition }) => ({ name, description: definition.description, inputSchema: {} })),
      ],
    }));
    const { lists } = await doorConformance({ tools: [greet], doors: [door] });
    expect(lists.map(({ subject, part }) => [subject, part])).toContainEqual(["hidden", "list"]);
  });

  it("one that offers another schema", async () => {
    const door = spoilt((client) => ({
      list: async () => (await client.list()).map((tool) => ({ ...tool, inputSchema: { type: "object" } })),
    }));
    const { lists } = await doorConformance({ tools: [greet], doors: [door] });
    expect(lists.map(({ part }) => part).join()).toMatch(/schema of greet/);
  });
});
