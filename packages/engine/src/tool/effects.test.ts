import { expect, it } from "vitest";
import { createEngine } from "../engine.ts";
import type { CapabilityProvider, EffectWeight } from "../ports/capability.ts";
import { silentLogger } from "../ports/logger.ts";
import { principal, probe } from "../testing/probe-tool.ts";

const shown = probe(() => ({ text: "drawn" }), { effects: { render: "draw" } });

/** A capability that the engine knows nothing of. */
function scopeWith(weight: EffectWeight | undefined) {
  const render = { name: "render", open: () => ({}), ...(weight && { weigh: () => weight }) } as unknown as CapabilityProvider;
  return createEngine({ tools: [shown], capabilities: [render], logger: silentLogger }).scope(principal, { session: "s1" });
}

const quiet: EffectWeight = { changes: false, openWorld: false };

it.each<[string, EffectWeight | undefined, object]>([
  ["that only reads runs unasked", quiet, { status: "done" }],
  ["that starts programs is held to the sandbox", { ...quiet, starts: "programs" }, { status: "denied", decision: { layer: "resource" } }],
  ["that changes things elsewhere is asked about as a whole", { changes: true, openWorld: true }, { status: "pending" }],
  ["that reaches only what its session began is not", { changes: true, openWorld: true, ownOnly: true }, { status: "done" }],
  ["that asks by itself is not", { changes: true, openWorld: true, concerned: true }, { status: "done" }],
  ["that does not say counts as one that changes things elsewhere", undefined, { status: "pending" }],
])("a tool of another package's capability %s", async (_, weight, ending) => {
  expect(await scopeWith(weight).invokeNamed("probe", {})).toMatchObject(ending);
});

it("what a capability cannot undo is in the hints of its tools", () => {
  expect(scopeWith({ changes: true, openWorld: false, destructive: true }).find("probe")?.hints.destructiveHint).toBe(true);
});

it("an explanation names what of another package's capability the policy judges", () => {
  expect(scopeWith({ ...quiet, judged: "each page that it draws" }).why("probe").text).toContain(
    "the policy judges each page that it draws",
  );
});

it("one engine's capabilities weigh nothing in another engine", async () => {
  expect(await scopeWith(quiet).invokeNamed("probe", {})).toMatchObject({ status: "done" });
  expect(await scopeWith(undefined).invokeNamed("probe", {})).toMatchObject({ status: "pending" });
});
