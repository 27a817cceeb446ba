import { expect, test } from "vitest";
import type { SandboxRules } from "../ports/policy-rules.ts";
import { joinLimits } from "./merge-rules.ts";

const rules = (limits: SandboxRules["limits"], tighterLimits?: SandboxRules["limits"]): SandboxRules => ({
  ...{ mode: "auto", network: "none", unavailable: "refuse", git: "sealed", limits, timeoutMs: 1, maxOutputBytes: 1 },
  ...(tighterLimits && { tighterLimits }),
});

test("R-SB-11 of two policies the stricter limit holds; what only one of them names, holds beside the default of the other", () => {
  expect(joinLimits(rules({ processes: 900 }), rules({ processes: 500 }))).toEqual({ limits: { processes: 500 } });
  expect(joinLimits(rules({ processes: 900 }), rules({}))).toEqual({ limits: {}, tighterLimits: { processes: 900 } });
  expect(joinLimits(rules({ memoryMb: 9 }, { openFiles: 7 }), rules({ memoryMb: 8 }, { openFiles: 6, memoryMb: 3 }))).toEqual({
    limits: { memoryMb: 8 },
    tighterLimits: { openFiles: 6, memoryMb: 3 },
  });
});
