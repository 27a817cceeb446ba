import { createEngine, defineTool, fail } from "@toolwright/engine";
import { createManualClock } from "@toolwright/engine/testing";
import { expect, it } from "vitest";
import { z } from "zod";
import { joinTelemetry } from "./join-telemetry.ts";
import { measureCalls } from "./measure-calls.ts";

const define = (name: string, run: () => unknown) =>
  defineTool({ name, description: "Does something.", input: z.object({}), output: z.object({}), run: run as never });
const linesOf = async (metrics: ReturnType<typeof measureCalls>) =>
  (await metrics.render()).split("\n").filter((line) => line.startsWith("toolwright_"));

it("counts calls by tool, door and status, times them, and knows how many run", async () => {
  const clock = createManualClock();
  const metrics = measureCalls(clock);
  const slow = define("slow", async () => {
    expect(await linesOf(metrics)).toContain("toolwright_calls_running 1");
    await clock.advance(50);
    return {};
  });
  const engine = createEngine({ tools: [slow, define("wrong", () => fail("no_luck", "It failed."))], telemetry: metrics, clock });
  const scope = engine.scope({ tenant: "acme", actor: { kind: "user", id: "ann" }, door: "rest" });
  await scope.invokeNamed("slow", {});
  await scope.invokeNamed("wrong", {});
  await scope.invokeNamed("made-up-by-the-caller", {});
  const lines = await linesOf(metrics);
  expect(lines).toEqual(
    expect.arrayContaining([
      'toolwright_calls_total{tool="slow",door="rest",status="done"} 1',
      'toolwright_calls_total{tool="wrong",door="rest",status="failed"} 1',
      'toolwright_call_errors_total{tool="wrong",code="tool_failed"} 1',
      'toolwright_call_errors_total{tool="unknown",code="tool_not_found"} 1',
      'toolwright_call_duration_seconds_bucket{le="0.1",tool="slow"} 1',
      "toolwright_calls_running 0",
    ]),
  );
  const took = lines.find((line) => line.startsWith('toolwright_call_duration_seconds_sum{tool="slow"}'))?.split(" ")[1];
  expect(Number(took)).toBeCloseTo(0.05, 6);
  expect(lines.join("\n")).not.toMatch(/acme|ann|made-up/);
});

it("gives no more than 200 tools a label of their own", async () => {
  const metrics = measureCalls(createManualClock());
  const tools = Array.from({ length: 205 }, (_, index) => define(`tool_${index}`, () => ({})));
  const scope = createEngine({ tools, telemetry: joinTelemetry(metrics, metrics) }).scope({
    tenant: "t",
    actor: { kind: "user", id: "a" },
  });
  for (const { name } of tools) await scope.invokeNamed(name, {});
  const counted = (await linesOf(metrics)).filter((line) => line.startsWith("toolwright_calls_total"));
  expect(counted).toHaveLength(201);
  expect(counted).toContain('toolwright_calls_total{tool="other",door="code",status="done"} 10');
});
