import { z } from "zod";
import { makeSnapshot, type Snapshot } from "./catalogue/catalogue.ts";
import { compileTool } from "./catalogue/compile-tool.ts";
import type { CallResult } from "./contract/call.ts";
import { canonicalJson } from "./contract/json.ts";
import type { Principal } from "./contract/principal.ts";
import type { CallCheck } from "./engine-types.ts";
import { passGate } from "./gate/gate.ts";
import type { GateParts } from "./gate/gate-parts.ts";
import { createMemoryApprovalStore } from "./memory/approval-store.ts";
import { createMemoryLimiter } from "./memory/limiter.ts";
import { createMemorySessionStore } from "./memory/session-store.ts";
import { everythingEnabled } from "./ports/visibility-facts.ts";
import { defineTool } from "./tool/define-tool.ts";

const longestMs = 5_000;
const input = { text: "still there?", count: 2 };
const principal: Principal = {
  tenant: "default",
  actor: { kind: "user", id: "health" },
  permissions: [],
  door: "rest",
  source: "api",
};

/**
 * Makes a call of an internal tool through every stage of the gate, as any caller would, and looks at the answer. Nobody can list or call
 * the tool, and its events are made and not kept. Never rejects.
 */
export async function checkCalls(parts: GateParts): Promise<CallCheck> {
  try {
    const result = await withinLimit(makeCall(parts), parts);
    if (result === undefined) return { ok: false, problem: `A call of a tool without effects did not end within ${longestMs / 1000} s.` };
    return readResult(result);
  } catch (error) {
    return { ok: false, problem: `A call of a tool without effects threw: ${error instanceof Error ? error.message : String(error)}` };
  }
}

function makeCall(parts: GateParts): Promise<CallResult> {
  alone ??= makeSnapshot([compileTool(echo(), { kind: "builtin", source: "health" })]);
  const snapshot = alone;
  const { events } = parts;
  const own: GateParts = {
    ...parts,
    snapshot: () => snapshot,
    visibility: everythingEnabled,
    limiter: createMemoryLimiter(),
    approvals: createMemoryApprovalStore(),
    sessions: createMemorySessionStore(),
    telemetry: undefined,
    events: { append: async (made) => void canonicalJson(made), read: (query) => events.read(query) },
  };
  return passGate({ id: parts.ids.next("call"), principal, session: "health", name: "echo", input, options: {} }, own);
}

let alone: Snapshot | undefined;

function echo() {
  return defineTool({
    name: "echo",
    description: "Repeats a text. It shows that calls work.",
    input: z.object({ text: z.string(), count: z.int().min(1) }),
    output: z.object({ text: z.string() }),
    run: async ({ text, count }) => ({ text: text.repeat(count) }),
  });
}

function readResult(result: CallResult): CallCheck {
  // A policy that allows named tools alone denies this one, and one may ask for each: then the gate works.
  if (result.status === "denied" || result.status === "pending") return { ok: true };
  if (result.status !== "done") {
    const why = "error" in result ? `${result.error.code}: ${result.error.message}` : result.status;
    return { ok: false, problem: `A call of a tool without effects failed: ${why}` };
  }
  const isRight = canonicalJson(result.output) === canonicalJson({ text: input.text.repeat(input.count) });
  return isRight ? { ok: true } : { ok: false, problem: "A call of a tool without effects gave a wrong answer." };
}

function withinLimit(calling: Promise<CallResult>, { clock }: GateParts): Promise<CallResult | undefined> {
  let stopTimer = () => {};
  const late = new Promise<undefined>((resolve) => {
    stopTimer = clock.after(longestMs, () => resolve(undefined), { keepAlive: true });
  });
  return Promise.race([calling, late]).finally(() => stopTimer());
}
