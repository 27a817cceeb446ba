import fc from "fast-check";
import { describe, expect, it, vi } from "vitest";
import { createMemoryArtifactStore } from "../../memory/artifact-store.ts";
import { createMemoryEventLog } from "../../memory/event-log.ts";
import { createMemorySecretStore } from "../../memory/secret-store.ts";
import { invoke, probe } from "../../testing/probe-tool.ts";
import type { BaseContext } from "../../tool/context.ts";
import { fail } from "../../tool/result.ts";
import type { InvokeOptions } from "../invoke-options.ts";

describe("secrets", () => {
  const secrets = createMemorySecretStore();
  void secrets.set({ tenant: "acme", name: "KEY" }, "very-secret-value");
  const tool = (
    run: (
      value: string,
      ctx: { progress: (done: number, total: number, message: string) => void; output: { append(chunk: string): void } },
    ) => unknown,
  ) =>
    probe(
      (async (_: never, ctx: never) =>
        run(await (ctx as { secrets: { get(name: string): Promise<string> } }).secrets.get("KEY"), ctx)) as never,
      { effects: { secrets: ["KEY"] } },
    );

  it("never leave a call: not in output, error, progress, stream or log (R-TN-4)", async () => {
    const events = createMemoryEventLog();
    const seen: unknown[] = [];
    const options: InvokeOptions = { onProgress: (progress) => seen.push(progress), onOutput: (chunk) => seen.push(chunk) };
    const leaky = tool((value, ctx) => {
      ctx.progress(1, 2, `using ${value}`);
      for (const character of `key=${value};`) ctx.output.append(character);
      return { text: `${value} ${Buffer.from(value).toString("base64")}` };
    });
    const results = [
      await invoke(leaky, { engine: { secrets, events }, options }),
      await invoke(
        tool((value) => {
          throw new Error(value);
        }),
        { engine: { secrets, events } },
      ),
      await invoke(
        tool((value) => fail("f", value)),
        { engine: { secrets, events } },
      ),
    ];
    const everything = JSON.stringify([results, seen, await events.read({ tenant: "acme", session: "s1" })]);
    expect(everything).not.toContain("very-secret-value");
    expect(everything).not.toContain(Buffer.from("very-secret-value").toString("base64").slice(0, 20));
    expect(everything).toContain("[redacted]");
  });

  it("are noted as used by the tool that got them, and not by one that did not ask", async () => {
    const noted = createMemorySecretStore();
    await noted.set({ tenant: "acme", name: "KEY" }, "very-secret-value");
    const usedBy = async () => (await noted.list("acme"))[0]?.lastUsedBy;
    await invoke(
      probe(() => ({ text: "" }), { effects: { secrets: ["KEY"] } }),
      { engine: { secrets: noted } },
    );
    expect(await usedBy()).toBeUndefined();
    await invoke(
      tool(() => ({ text: "" })),
      { engine: { secrets: noted } },
    );
    expect(await usedBy()).toBe("probe");
  });

  it("of several lines are not told by their first one when a tool throws them", async () => {
    const several = createMemorySecretStore();
    await several.set({ tenant: "acme", name: "KEY" }, "-----BEGIN KEY-----/home/first\nsecond-line-of-the-key\n-----END KEY-----");
    const throwing = tool((value) => {
      throw new Error(`with ${value}`);
    });
    const log = vi.fn();
    const result = await invoke(throwing, { engine: { secrets: several, logger: { log } } });
    expect(JSON.stringify([result, log.mock.calls])).not.toMatch(/home\/first|second-line/);
    expect(JSON.stringify(log.mock.calls)).toContain("with [redacted]");
  });

  it("leave no part where an output is cut to its ends, nor in the whole that is kept (R-TN-4)", async () => {
    const artifacts = createMemoryArtifactStore();
    const filler = fc.nat({ max: 3_000 });
    await fc.assert(
      fc.asyncProperty(filler, filler, async (before, after) => {
        const text = `${".".repeat(before)}very-secret-value${".".repeat(after)}${Buffer.from("very-secret-value").toString("hex")}`;
        const large = tool(() => ({ text }));
        const small = { ...large, limits: { maxOutputBytes: 700 } };
        const result = await invoke(small, { engine: { secrets, artifacts } });
        const kept = await Promise.all((await artifacts.list("acme", "s1")).map(({ id }) => artifacts.read("acme", id)));
        const seen = JSON.stringify(result) + kept.map(({ bytes }) => Buffer.from(bytes).toString()).join();
        for (const run of ["very-sec", "ry-secre", "et-value", "76657279", "76616c75"]) expect(seen).not.toContain(run);
      }),
      { numRuns: 30 },
    );
  });

  it("never reach an artifact, whoever writes it and however it is cut into chunks", async () => {
    const writing = tool(async (value, ctx) => {
      const { artifacts } = ctx as unknown as BaseContext;
      const saved = await artifacts.save({
        name: "a",
        mediaType: "application/octet-stream",
        content: Buffer.from(`\u00ff${value}\u00ff`),
      });
      const { bytes } = await artifacts.read(saved.id);
      return { text: Buffer.from(bytes).toString("utf8") };
    });
    const result = await invoke(writing, { engine: { secrets } });
    expect(result).toMatchObject({ status: "done", output: { text: "\u00ff[redacted]\u00ff" }, artifacts: [{ name: "a" }] });
  });

  it("refuse a name that the tool does not declare", async () => {
    const curious = probe(
      (async (_: never, ctx: never) => ({
        text: await (ctx as { secrets: { get(name: string): Promise<string> } }).secrets.get("OTHER"),
      })) as never,
      { effects: { secrets: ["KEY"] } },
    );
    expect(await invoke(curious, { engine: { secrets } })).toMatchObject({ error: { code: "effect_refused" } });
  });
});
