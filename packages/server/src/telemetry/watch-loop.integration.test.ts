import { createEngine, defineTool } from "@toolwright/engine";
import { systemClock } from "@toolwright/engine/ports";
import { afterAll, beforeAll, expect, test } from "vitest";
import { z } from "zod";
import { type OpenedTelemetry, openTelemetry } from "./open-telemetry.ts";

const lines: Readonly<Record<string, unknown>>[] = [];
const logger = { log: (_: string, message: string, fields = {}) => void lines.push({ message, ...fields }) };
let opened: OpenedTelemetry;
beforeAll(async () => {
  opened = await openTelemetry({ env: {}, logger, clock: systemClock, metrics: true });
});
afterAll(() => opened.close());

const empty = z.object({});
/** Keeps the thread for so much processor time, after it waited for something else: a busy machine gives it as slowly as to any other. */
const block = defineTool({
  name: "block_loop",
  description: "Blocks.",
  input: empty,
  output: empty,
  async run() {
    await new Promise((resolve) => setTimeout(resolve, 5));
    const used = () => process.threadCpuUsage().user / 1000;
    for (const end = used() + 260; used() < end; );
    return {};
  },
});
const idle = defineTool({
  name: "wait_idly",
  description: "Waits.",
  input: empty,
  output: empty,
  async run() {
    await new Promise((resolve) => setTimeout(resolve, 400));
    return {};
  },
});

test("a tool that holds the event loop is named in the log and in the metrics, with its call; one that waits beside it is not", async () => {
  const scope = createEngine({ tools: [block, idle], ...(opened.telemetry && { telemetry: opened.telemetry }) }).scope({
    tenant: "acme",
    actor: { kind: "user", id: "ann" },
  });
  const callIds: string[] = [];
  // The thread that looks may still be starting.
  await expect
    .poll(async () => {
      const waiting = scope.invokeNamed("wait_idly", {});
      callIds.push((await scope.invokeNamed("block_loop", {})).callId);
      await waiting;
      return lines.map(({ operation }) => operation);
    })
    .toContain("block_loop");
  const line = lines.find(({ operation }) => operation === "block_loop");
  expect(line).toMatchObject({
    message: "The event loop was held by block_loop, and every other request waited.",
    tenant: "acme",
    place: expect.stringContaining("watch-loop.integration.test.ts"),
  });
  expect(callIds).toContain(line?.callId);
  expect(line?.ms).toBeGreaterThan(200);
  expect(lines.map(({ operation }) => operation)).not.toContain("wait_idly");
  expect(await opened.metrics?.render()).toMatch(/^toolwright_event_loop_held_seconds_count\{operation="block_loop"\} [1-9]/m);
});
