import type { RuntimeProbe, RuntimeTraits, SandboxRules } from "@toolwright/engine";
import { describe, expect, it } from "vitest";
import { machineFacts, type ProbedRuntime } from "./machine-facts.ts";

const rules: SandboxRules = { mode: "auto", network: "none", unavailable: "refuse", limits: {}, timeoutMs: 1, maxOutputBytes: 1 };

function probed(name: string, traits: RuntimeTraits, probe: Partial<RuntimeProbe>): ProbedRuntime {
  const runtime = { name, traits } as ProbedRuntime["runtime"];
  return { runtime, probe: { available: true, detail: `${name} 1.0`, limits: {}, ...probe } };
}

const host = probed("host", { isolation: "none", networks: ["host"] }, {});
const bwrap = probed("bwrap", { isolation: "namespaces", networks: ["none", "host"] }, {});
const noBwrap = probed("bwrap", bwrap.runtime.traits, {
  available: false,
  detail: "bubblewrap is not installed.",
  remedy: "apt-get install bubblewrap",
});

describe("what the machine can give of what the policy demands (R-SB-3)", () => {
  const cases: [string, ProbedRuntime[], Partial<SandboxRules>, boolean, RegExp][] = [
    ["auto takes what isolates", [bwrap, host], {}, true, /bwrap 1\.0/],
    ["auto takes nothing weaker", [noBwrap, host], {}, false, /apt-get install bubblewrap/],
    ["host is there when the policy names it", [noBwrap, host], { mode: "host", network: "host" }, true, /host 1\.0/],
    ["host cannot be without a network", [bwrap, host], { mode: "host" }, false, /cannot give the network "none"/],
    ["an unknown name is not there", [bwrap, host], { mode: "jail" }, false, /no runtime of that name/],
  ];
  it.each(cases)("%s", (_, runtimes, changed, available, detail) => {
    const { sandbox } = machineFacts(runtimes, { ...rules, ...changed });
    expect(sandbox.available).toBe(available);
    expect(sandbox.detail).toMatch(detail);
  });
});
