import { describe, expect, it } from "vitest";
import { createEngine } from "../engine.ts";
import { defaultPolicy } from "../policy/document/policy-document.ts";
import { filesDouble, principal, probe } from "../testing/probe-tool.ts";

describe("a tenant that calls far above its rate (R-TN-5)", () => {
  const engine = () =>
    createEngine({
      tools: [probe(() => ({ text: "" }), { effects: { files: "write" } })],
      capabilities: [filesDouble],
      policy: [{ tier: "platform", document: { ...defaultPolicy, rates: { act: "5/h" } } as typeof defaultPolicy }],
    });

  it("is held at the rate, and takes nothing from another tenant that calls in between", async () => {
    const { scope } = engine();
    const noisy = scope({ ...principal, tenant: "noisy" }, { session: "n" });
    const quiet = scope({ ...principal, tenant: "quiet" }, { session: "q" });
    const flood = Promise.all(Array.from({ length: 200 }, () => noisy.invokeNamed("probe", {})));
    const others = [];
    for (let turn = 0; turn < 5; turn += 1) others.push((await quiet.invokeNamed("probe", {})).status);
    const ended = (await flood).map(({ status }) => status);
    expect(others).toEqual(Array(5).fill("done"));
    expect(ended.filter((status) => status === "done")).toHaveLength(5);
    expect(ended.filter((status) => status === "failed")).toHaveLength(195);
  });
});
