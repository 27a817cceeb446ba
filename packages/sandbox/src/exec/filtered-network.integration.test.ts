import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { CallSite, Exec } from "@toolwright/engine";
import type { NetworkRules } from "@toolwright/engine/ports";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { findTools } from "../drivers/bwrap.ts";
import { createBwrapDriver, createHostDriver } from "../drivers/index.ts";
import { createCallSite } from "../testing/call-site.ts";
import { openScriptedWeb, type ScriptedWeb } from "../testing/scripted-web.ts";
import { execCapability } from "./index.ts";

const resolve = async () => ["127.0.0.1"];
const drivers = [createBwrapDriver({ warm: 0, egress: { resolve } }), createHostDriver()];
const workspace = mkdtempSync(join(tmpdir(), "toolwright-exec-"));
const capability = execCapability({ drivers, workspaceOf: () => workspace });

const run = (command: string, network: NetworkRules, changes: Partial<CallSite["sandbox"]> = {}) => {
  const site = createCallSite({ network, sandbox: { mode: "auto", network: "filtered", ...changes } });
  return { site, result: (capability.open("run", site) as Exec).run({ command }) };
};

describe.runIf("bwrap" in findTools(undefined))("a policy with the network filtered", () => {
  let web: ScriptedWeb;
  beforeAll(async () => {
    web = await openScriptedWeb();
  });
  afterAll(async () => {
    await web[Symbol.asyncDispose]();
    await capability.close();
    for (const driver of drivers) await driver.close();
    rmSync(workspace, { recursive: true });
  });

  test("the policy's own host rules decide, and the result holds the traffic", async () => {
    const rules = { allow: [`a.example:${web.port}`], deny: [], allowRanges: ["127.0.0.0/8"] };
    const { site, result } = run(`curl -s http://a.example:${web.port}/; curl -s -o /dev/null http://b.example/`, rules);
    const { stdout, traffic, anomalies, posture } = await result;
    expect([stdout, posture.network]).toEqual(["hello", "filtered"]);
    expect(traffic).toMatchObject([
      { host: "a.example", port: web.port, allowed: 1, refused: 0 },
      { host: "b.example", port: 80, allowed: 0, refused: 1 },
    ]);
    expect(anomalies).toMatchObject([{ kind: "network_refused", message: expect.stringContaining('add "b.example" to network.allow') }]);
    expect(site.anomalies).toEqual(anomalies);
  });

  test("a run says which hosts were open when the policy names none", async () => {
    const { posture } = await run("true", { deny: [], allowRanges: [] }).result;
    expect(posture.gaps.join(" ")).toMatch(/Every public host/);
  });

  test("R-SB-3 a driver that cannot filter is not taken instead", async () => {
    const { result } = run("true", { deny: [], allowRanges: [] }, { mode: "host" });
    await expect(result).rejects.toMatchObject({ code: "sandbox_unavailable", message: expect.stringContaining('"filtered"') });
  });
});
