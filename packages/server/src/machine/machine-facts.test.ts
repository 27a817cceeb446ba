import type { DriverProbe, DriverTraits, SandboxRules } from "@toolwright/engine/ports";
import { describe, expect, it } from "vitest";
import { machineFacts, type ProbedDriver } from "./machine-facts.ts";

const rules: SandboxRules = {
  mode: "auto",
  network: "none",
  unavailable: "refuse",
  git: "sealed",
  limits: {},
  timeoutMs: 1,
  maxOutputBytes: 1,
};

function probed(name: string, traits: DriverTraits, probe: Partial<DriverProbe>): ProbedDriver {
  const driver = { name, traits } as ProbedDriver["driver"];
  return { driver, probe: { available: true, detail: `${name} 1.0`, limits: {}, ...probe } };
}

const host = probed("host", { isolation: "none", networks: ["host"] }, {});
const bwrap = probed("bwrap", { isolation: "namespaces", networks: ["none", "host"] }, {});
const noBwrap = probed("bwrap", bwrap.driver.traits, {
  available: false,
  detail: "bubblewrap is not installed.",
  remedy: "apt-get install bubblewrap",
});

describe("what the machine can give of what the policy demands (R-SB-3)", () => {
  it.each([
    { what: "auto takes what isolates", drivers: [bwrap, host], changed: {}, available: true, detail: /bwrap 1\.0/ },
    { what: "auto takes nothing weaker", drivers: [noBwrap, host], changed: {}, available: false, detail: /apt-get install bubblewrap/ },
    {
      what: "host is there when it is named",
      drivers: [noBwrap, host],
      changed: { mode: "host", network: "host" as const },
      available: true,
      detail: /host/,
    },
    {
      what: "host cannot be without a network",
      drivers: [bwrap, host],
      changed: { mode: "host" },
      available: false,
      detail: /the network "none"/,
    },
    {
      what: "an unknown name is not there",
      drivers: [bwrap, host],
      changed: { mode: "jail" },
      available: false,
      detail: /no driver of that name/,
    },
  ])("$what", ({ drivers, changed, available, detail }) => {
    const { sandbox } = machineFacts(drivers, { ...rules, ...changed });
    expect(sandbox.available).toBe(available);
    expect(sandbox.detail).toMatch(detail);
  });
});
