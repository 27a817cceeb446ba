import type { Anomaly, CallSite, Decision, Posture, Principal } from "@toolwright/engine";
import { createMemoryArtifactStore, type SandboxRules } from "@toolwright/engine/ports";

export const allowed: Decision = {
  effect: "allow",
  layer: "tool",
  rule: "test.allow",
  reason: "The test allows everything.",
  revision: "test",
  findings: [],
};

export interface TestCallSite extends CallSite {
  /** What the call told its followers, in order. */
  readonly told: { readonly stream: "stdout" | "stderr"; readonly text: string }[];
  readonly postures: Posture[];
  readonly reached: readonly string[];
  readonly anomalies: Anomaly[];
  readonly tainted: string[];
}

/** A call as the gate would make one, with the given parts changed: it allows everything and runs in `mode: "host"` without a network rule. */
export function createCallSite(
  changes: Partial<Omit<CallSite, "principal" | "sandbox">> & { principal?: Partial<Principal>; sandbox?: Partial<SandboxRules> } = {},
): TestCallSite {
  const told: TestCallSite["told"] = [];
  const postures: Posture[] = [];
  const reached: string[] = [];
  const anomalies: Anomaly[] = [];
  const tainted: string[] = [];
  return {
    callId: "call_test",
    tool: "test",
    session: "session_test",
    signal: new AbortController().signal,
    approved: false,
    artifacts: createMemoryArtifactStore(),
    paths: { forbidden: [] },
    network: { deny: [], allowRanges: [] },
    judge: () => allowed,
    output: (stream, text) => void told.push({ stream, text }),
    alive: () => {},
    reportPosture: (posture) => void postures.push(posture),
    reportReached: (hosts) => void reached.push(...hosts),
    reportAnomaly: (anomaly) => void anomalies.push(anomaly),
    taint: (value) => void tainted.push(value),
    redactStream: () => ({ push: (chunk) => chunk, flush: () => "" }),
    redactBytes: (bytes) => bytes,
    ...changes,
    principal: { tenant: "tenant_test", actor: { kind: "user", id: "user_test" }, permissions: [], door: "cli", ...changes.principal },
    sandbox: {
      mode: "host",
      network: "host",
      unavailable: "refuse",
      git: "sealed",
      limits: {},
      timeoutMs: 20_000,
      maxOutputBytes: 100_000,
      ...changes.sandbox,
    },
    told,
    postures,
    reached,
    anomalies,
    tainted,
  };
}
