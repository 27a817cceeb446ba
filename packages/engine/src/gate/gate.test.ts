import { describe, expect, it, vi } from "vitest";
import { z } from "zod";
import { ToolwrightError } from "../contract/errors.ts";
import { createEngine } from "../engine.ts";
import { defaultPolicy } from "../policy/document/policy-document.ts";
import type { CapabilityProvider } from "../ports/capability.ts";
import type { ReadFiles } from "../ports/files.ts";
import { createManualClock } from "../testing/manual-clock.ts";
import { filesDouble, invoke, principal, probe } from "../testing/probe-tool.ts";
import type { BaseContext } from "../tool/context.ts";
import type { AnyTool } from "../tool/define-tool.ts";
import { fail } from "../tool/result.ts";

type CallerOf = Parameters<NonNullable<CapabilityProvider["workspace"]>>[0];

describe("the endings of a call (a tool never throws to its caller)", () => {
  it("is done with the validated output, and with the same as text for a model", async () => {
    const result = await invoke(probe(() => ({ text: "hello" })));
    expect(result).toMatchObject({
      status: "done",
      output: { text: "hello" },
      content: [{ type: "text", text: '{"text":"hello"}' }],
      decision: { effect: "allow" },
    });
  });

  const cycle: Record<string, unknown> = {};
  cycle.self = cycle;
  const failures: [string, AnyTool, string, RegExp][] = [
    ["fails in a way it foresaw", probe(() => fail("no_luck", "Come back on Monday.")), "tool_failed", /Monday/],
    [
      "throws",
      probe(() => {
        throw new Error("boom");
      }),
      "tool_error",
      /log has it under call_/,
    ],
    ["rejects", probe(() => Promise.reject(new Error("boom"))), "tool_error", /log has it under call_/],
    [
      "throws a code that is no engine's",
      probe(() => Promise.reject(new ToolwrightError("unauthenticated" as never, "No."))),
      "tool_error",
      /log has it/,
    ],
    [
      "throws what is not an error",
      probe(() => {
        throw "text";
      }),
      "tool_error",
      /log has it under call_/,
    ],
    [
      "throws a known error",
      probe(() => {
        throw new ToolwrightError("file_not_found", "There is no x.txt.");
      }),
      "file_not_found",
      /x\.txt/,
    ],
    ["returns the wrong shape", probe(() => ({ words: 1 })), "invalid_output", /text/],
    ["returns nothing", probe(() => undefined), "output_not_json", /undefined/],
    [
      "returns a BigInt",
      probe(() => ({ text: 1n }), { output: z.object({ text: z.any() }), schemaExceptions: [] }),
      "output_not_json",
      /bigint/,
    ],
    ["returns a cycle", probe(() => cycle), "output_not_json", /cycle/],
  ];
  it.each(failures)("is failed when the tool %s", async (_, tool, code, message) => {
    const result = await invoke(tool);
    expect(result).toMatchObject({ status: "failed", error: { code, message: expect.stringMatching(message) } });
  });

  const secretText = new Error("cannot open /home/ann/.ssh/id_rsa for postgres://admin:canary@db/main\nsecond line");
  const throwing = (where: Partial<AnyTool>) => ({ ...probe(() => ({ text: "x" })), ...where }) as AnyTool;
  const throwIt = () => {
    throw secretText;
  };
  const places: [string, AnyTool, string][] = [
    ["run", probe(throwIt), "tool_error"],
    ["run, as the cause of another", probe(() => Promise.reject(new Error(secretText.message, { cause: secretText }))), "tool_error"],
    ["run, as a text", probe(() => Promise.reject(secretText.message)), "tool_error"],
    ["reaches", throwing({ reaches: throwIt }), "internal"],
    ["toModel", throwing({ toModel: throwIt }), "internal"],
  ];
  it.each(places)(
    "keeps the text of an error thrown in %s in the operator's log; the model gets code and call id",
    async (_, tool, code) => {
      const log = vi.fn();
      const result = await invoke(tool, { engine: { logger: { log } } });
      expect(result).toMatchObject({ status: "failed", error: { code, message: expect.stringContaining(result.callId) } });
      expect(JSON.stringify(result)).not.toMatch(/cannot open|id_rsa|canary|second line|\.ts:/);
      expect(JSON.stringify(log.mock.calls)).toMatch(/\/home\/ann.*second line/);
      expect(JSON.stringify(log.mock.calls)).toContain(result.callId);
    },
  );

  it("is failed with a timeout when the tool never ends, and the process goes on", async () => {
    const clock = createManualClock();
    const pending = invoke(
      probe(() => new Promise(() => {}), { limits: { timeoutMs: 50 } }),
      { engine: { clock } },
    );
    await clock.advance(50);
    await clock.advance(5_000);
    expect(await pending).toMatchObject({ status: "failed", error: { code: "timeout" } });
  });

  it("is cancelled when the caller aborts", async () => {
    const caller = new AbortController();
    const pending = invoke(
      probe(async (_: never, { signal }: { signal: AbortSignal }) => {
        await new Promise((resolve) => signal.addEventListener("abort", resolve));
        return { text: "too late" };
      }),
      { options: { signal: caller.signal } },
    );
    caller.abort();
    expect(await pending).toMatchObject({ status: "cancelled" });
  });

  it("is unknown when a request was sent and its answer lost", async () => {
    const lost = () => {
      throw new ToolwrightError("connection_failed", "The answer was lost.", { details: { sent: true } });
    };
    expect(await invoke(probe(lost))).toMatchObject({ status: "unknown" });
    expect(await invoke(probe(lost, { effects: { idempotent: true } }))).toMatchObject({ status: "failed" });
  });
});

describe("a request that was in flight when the time was over", () => {
  it("is unknown and not a timeout: it may have had its effect", async () => {
    const clock = createManualClock();
    const sending = async (_: never, { signal }: BaseContext) => {
      await new Promise((resolve) => signal.addEventListener("abort", resolve));
      throw new ToolwrightError("connection_failed", "The answer was lost.", { details: { sent: true } });
    };
    const pending = invoke(probe(sending as never, { limits: { timeoutMs: 50 } }), { engine: { clock } });
    await clock.advance(50);
    expect(await pending).toMatchObject({ status: "unknown" });
  });
});

describe("finding and admitting", () => {
  it("answers alike for an unknown tool and for a hidden one", async () => {
    const engine = createEngine({ tools: [probe(() => ({ text: "" }), { permission: "secret:tool" })] });
    const scope = engine.scope(principal, { session: "s1" });
    const [hidden, unknown] = [await scope.invokeNamed("probe", {}), await scope.invokeNamed("qrobe", {})];
    expect(hidden).toMatchObject({ status: "failed", error: { code: "tool_not_found" } });
    expect(JSON.stringify({ ...hidden, callId: "", durationMs: 0 }).replaceAll("probe", "X")).toBe(
      JSON.stringify({ ...unknown, callId: "", durationMs: 0 }).replaceAll("qrobe", "X"),
    );
    expect(scope.list()).toEqual([]);
    expect(scope.why("probe").text.replaceAll("probe", "X")).toBe(scope.why("qrobe").text.replaceAll("qrobe", "X"));
  });

  it("suggests the nearest name, of those that the principal can see", async () => {
    const engine = createEngine({ tools: [probe(() => ({ text: "" }))] });
    expect(await engine.scope(principal, { session: "s1" }).invokeNamed("prob", {})).toMatchObject({
      error: { message: expect.stringContaining('"probe"') },
    });
  });

  it("lists nothing that a call would not find, and finds nothing that is not listed", async () => {
    const document = { ...defaultPolicy, tools: { deny: ["denied"] } };
    const tools = [
      probe(() => ({ text: "" })),
      probe(() => ({ text: "" }), { name: "denied" }),
      probe(() => ({ text: "" }), { name: "hidden", permission: "p" }),
    ];
    const scope = createEngine({ tools, policy: [{ tier: "platform", document }] }).scope(principal, { session: "s1" });
    expect(scope.list().map(({ name }) => name)).toEqual(["probe"]);
    for (const name of ["denied", "hidden"]) {
      expect(scope.find(name)).toBeUndefined();
      expect((await scope.invokeNamed(name, {})).status).not.toBe("done");
    }
  });

  it("takes names that are members of every object as unknown", async () => {
    for (const name of ["__proto__", "constructor", "toString", "hasOwnProperty"]) {
      expect(await createEngine().scope(principal, { session: "s1" }).invokeNamed(name, {})).toMatchObject({
        error: { code: "tool_not_found" },
      });
    }
  });
});

describe("parsing", () => {
  it("repairs what needs no guess, tells it, and runs with the repaired input", async () => {
    const run = vi.fn((_input: unknown) => ({ text: "" }));
    const result = await invoke(probe(run as never), { input: { a: "3" } });
    expect(result).toMatchObject({ status: "done", repairs: [{ path: "/a" }] });
    expect(run.mock.calls[0]?.[0]).toEqual({ a: 3 });
  });

  it("refuses 5 MB of JSON and deep nesting before it parses them", async () => {
    let deep: unknown = 1;
    for (let level = 0; level < 100_000; level += 1) deep = { a: deep };
    for (const input of [{ a: "x".repeat(6_000_000) }, deep]) {
      expect(
        await invoke(
          probe(() => ({ text: "" })),
          { input },
        ),
      ).toMatchObject({ status: "failed", error: { code: "input_too_large" } });
    }
  });
});

describe("capabilities (narrowed at run time too)", () => {
  it("gives exactly the declared ones", async () => {
    const tool = probe(
      async (_: never, ctx: Record<string, unknown>) => ({
        text: Object.keys(ctx)
          .filter((key) => ["files", "exec", "http", "secrets"].includes(key))
          .join(),
      }),
      { effects: { files: "read" } },
    );
    expect(await invoke(tool, { engine: { capabilities: [filesDouble] } })).toMatchObject({ output: { text: "files" } });
  });

  it("refuses one that is for calls of another door", async () => {
    const open = () => {
      throw new ToolwrightError("effect_refused", "Only a call of another door has a screen.");
    };
    const weigh = () => ({ changes: false, openWorld: false });
    const engine = { capabilities: [{ name: "screen", weigh, open } as never] };
    const tool = probe((_: never, ctx: { screen: string }) => ({ text: ctx.screen }), { effects: { screen: [] } as never });
    expect(await invoke(tool, { engine })).toMatchObject({ status: "failed", error: { code: "effect_refused" } });
  });

  it("is dead once the call has ended, so a run left behind can do nothing more", async () => {
    let kept: ReadFiles | undefined;
    const tool = probe(
      (_: never, { files }: { files: ReadFiles }) => {
        kept = files;
        return { text: "" };
      },
      { effects: { files: "read" } },
    );
    await invoke(tool, { engine: { capabilities: [filesDouble] } });
    expect(() => kept?.readLines("x")).toThrow(/has ended/);
  });
});

describe("the workspace of a call", () => {
  const named = { ...filesDouble, workspace: ({ principal: { tenant }, session }: CallerOf) => `${tenant}-${session}` };
  const telling = (effects: object) => probe((_: never, { workspace }: BaseContext) => ({ text: `${workspace}` }), { effects });

  it.each([
    ["is named by the capability that a declared effect gives", { files: "read" }, named, "acme-s1"],
    ["is undefined for a tool whose effects reach none", {}, named, "undefined"],
    ["is undefined where the capability names none", { files: "read" }, filesDouble, "undefined"],
  ])("%s", async (_, effects, provider, text) => {
    expect(await invoke(telling(effects), { engine: { capabilities: [provider] } })).toMatchObject({ status: "done", output: { text } });
  });

  it("fails the call with the code of a capability that cannot name it", async () => {
    const workspace = () => {
      throw new ToolwrightError("workspace_missing", "The workspace of the call cannot be made.");
    };
    const result = await invoke(telling({ files: "read" }), { engine: { capabilities: [{ ...filesDouble, workspace }] } });
    expect(result).toMatchObject({ status: "failed", error: { code: "workspace_missing" } });
  });
});

describe("bounding", () => {
  it("cuts a large output, says so to the model, and keeps the whole as an artifact", async () => {
    const engine = createEngine({ tools: [probe(() => ({ text: "é".repeat(5_000_000) }))] });
    const scope = engine.scope(principal, { session: "s1" });
    const result = await scope.invokeNamed("probe", {});
    if (result.status !== "done") throw new Error(result.status);
    expect(JSON.stringify(result.content).length).toBeLessThan(150_000);
    expect(result.truncations).toMatchObject([{ path: "/text", total: 10_000_000, artifact: result.artifacts[0]?.id }]);
    expect(result.notes).toEqual([
      expect.stringMatching(`^The output was cut: /text \\(.*\\). The whole is artifact ${result.artifacts[0]?.id}.$`),
    ]);
    const { bytes } = await scope.readArtifact(result.artifacts[0]?.id ?? "");
    expect(JSON.parse(Buffer.from(bytes).toString()).text).toHaveLength(5_000_000);
  });

  it("shows the ends of an output that is larger than an artifact, and says that the whole was not kept", async () => {
    const log = vi.fn();
    const result = await invoke(
      probe(() => ({ text: `first${"x".repeat(500_000)}last` })),
      { engine: { maxArtifactBytes: 400_000, logger: { log } } },
    );
    expect(result).toMatchObject({ status: "done", artifacts: [], truncations: [{ path: "/text", total: 500_009 }] });
    if (result.status === "done") expect(JSON.stringify(result.output)).toMatch(/first.*last/);
    expect(result.notes).toEqual([expect.stringMatching(/The output was cut: \/text .* The whole could not be kept\.$/)]);
    expect(JSON.stringify(log.mock.calls)).toContain("at most 400000 bytes");
  });

  it("refuses an artifact of a tool that is larger than one may be, with a code", async () => {
    const saving = probe(async (_: never, { artifacts }: BaseContext) => {
      await artifacts.save({ name: "a", mediaType: "a/b", content: "x".repeat(11) });
      return { text: "" };
    });
    const result = await invoke(saving, { engine: { maxArtifactBytes: 10 } });
    expect(result).toMatchObject({ status: "failed", error: { code: "artifact_too_large", details: { limit: 10 } }, artifacts: [] });
  });
});

describe("limits", () => {
  it("stops at the rate and says when to come back; reading is free", async () => {
    const document = { ...defaultPolicy, rates: { act: "2/h" } } as typeof defaultPolicy;
    const writing = probe(() => ({ text: "" }), { effects: { files: "write" } });
    const scope = createEngine({
      tools: [writing, probe(() => ({ text: "" }), { name: "pure" })],
      capabilities: [filesDouble],
      policy: [{ tier: "platform", document }],
    }).scope(principal, { session: "s1" });
    const statuses = [];
    for (let turn = 0; turn < 3; turn += 1) statuses.push((await scope.invokeNamed("probe", {})).status);
    expect(statuses).toEqual(["done", "done", "failed"]);
    expect(await scope.invokeNamed("probe", {})).toMatchObject({
      error: { code: "rate_limited", message: expect.stringMatching(/Try again in \d+ s/) },
    });
    expect((await scope.invokeNamed("pure", {})).status).toBe("done");
  });
});
