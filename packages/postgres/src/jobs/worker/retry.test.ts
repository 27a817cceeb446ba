import type { CallResult } from "@toolwright/engine";
import { describe, expect, it } from "vitest";
import { mayRetry, retryDelay } from "./retry.ts";

const failed = (code: string) => ({ status: "failed", error: { code, message: "" } }) as unknown as CallResult;

describe("what may be tried again", () => {
  it.each([
    ["a rate limit, whatever the tool is", failed("rate_limited"), false, true],
    ["a lost connection of a tool that may run twice", failed("connection_failed"), true, true],
    ["a lost connection of a tool that may not", failed("connection_failed"), false, false],
    ["a time-out of a tool that may run twice", failed("timeout"), true, true],
    ["a time-out of a tool that may not", failed("timeout"), false, false],
    ["what the tool itself answered", failed("tool_failed"), true, false],
    ["input that does not fit", failed("invalid_input"), true, false],
    ["a denial", { status: "denied" } as CallResult, true, false],
    ["an unknown outcome", { status: "unknown" } as CallResult, true, false],
  ])("%s", (_, result, repeatable, expected) => {
    expect(mayRetry(result, repeatable)).toBe(expected);
  });

  it("waits twice as long each time, up to a limit, and never less than half of it", () => {
    const retry = { attempts: 10, delayMs: 1_000, mostDelayMs: 5_000 };
    const delays = (random: () => number) => [1, 2, 3, 4, 9].map((failures) => retryDelay(retry, failures, random));
    expect(delays(() => 1)).toEqual([1_000, 2_000, 4_000, 5_000, 5_000]);
    expect(delays(() => 0)).toEqual([500, 1_000, 2_000, 2_500, 2_500]);
  });
});
