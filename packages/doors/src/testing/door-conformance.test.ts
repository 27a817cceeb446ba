import { defineTool } from "@toolwright/engine";
import { beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";
import { openAccess } from "../mcp/index.ts";
import { createRestDoor } from "../rest/index.ts";
import { aiSDKDoor } from "./ai-sdk-door.ts";
import { describeDoors } from "./describe-doors.ts";
import { answerOf, type DoorAdapter, type DoorClient, type DoorWorld } from "./door-adapter.ts";
import { formDoor } from "./form-door.ts";
import { inProcessDoor } from "./in-process-door.ts";
import { type DoorReport, doorConformance } from "./run-matrix.ts";
import { type Subject, secretValue } from "./subjects.ts";

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

/** Each with the part that differs. */
const wrongDoors: readonly (readonly [name: string, door: DoorAdapter, part: string])[] = [
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
];
const wrongLists: readonly (readonly [name: string, door: DoorAdapter, subject: Subject, part: string])[] = [
  [
    "one that lists a hidden tool",
    spoilt((client, { engine }) => ({
      list: async () => [
        ...(await client.list()),
        ...engine.snapshot().tools.map(({ name, definition }) => ({ name, description: definition.description, inputSchema: {} })),
      ],
    })),
    "hidden",
    "list",
  ],
  [
    "one that offers another schema",
    spoilt((client) => ({
      list: async () => (await client.list()).map((tool) => ({ ...tool, inputSchema: { type: "object" } })),
    })),
    "allowed",
    "schema of greet",
  ],
];

describe("a door that is wrong is found:", () => {
  let report: DoorReport;
  // Beside one another: each has an engine of its own.
  beforeAll(async () => {
    const doors = [...wrongDoors, ...wrongLists].map(([name, door]) => ({ ...door, name }));
    report = await doorConformance({ tools: [greet], doors });
  });

  it.each(wrongDoors)("%s", (name, _, part) => {
    const parts = report.cells.flatMap((cell) => (cell.door === name ? cell.differences.map((difference) => difference.part) : []));
    expect(parts.some((found) => found === part || found.startsWith(`${part}/`))).toBe(true);
    expect(describeDoors(report)).toMatch(new RegExp(`^${name}, .*: ${part}.*\\n.*\\n    the door  `, "m"));
  });

  it.each(wrongLists)("%s", (name, _, subject, part) => {
    const found = report.lists.filter(({ door }) => door === name);
    expect(found.map((difference) => [difference.subject, difference.part.split("/")[0]])).toContainEqual([subject, part]);
  });

  it("none of the others", () => {
    const names = new Set([...wrongDoors, ...wrongLists].map(([name]) => name));
    expect(report.cells.filter(({ door, differences }) => !names.has(door) && differences.length > 0)).toEqual([]);
  });
});
