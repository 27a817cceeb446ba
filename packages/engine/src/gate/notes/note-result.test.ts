import { describe, expect, it } from "vitest";
import { z } from "zod";
import { createEngine } from "../../engine.ts";
import type { CapabilityProvider } from "../../ports/capability.ts";
import { createManualClock } from "../../testing/index.ts";
import { defineTool } from "../../tool/define-tool.ts";

const principal = { tenant: "t1", actor: { kind: "user", id: "ann" }, permissions: [], door: "mcp" } as const;
const hour = 60 * 60 * 1000;

function setUp(run: (input: { n: number }, ctx: never) => unknown, gaps: () => readonly string[] = () => []) {
  const files: CapabilityProvider = {
    name: "files",
    open(_, site) {
      site.reportPosture({ runtime: "host", isolation: "none", network: "host", limits: {}, gaps: gaps() });
      site.reportReached([]);
      return {} as never;
    },
  };
  const clock = createManualClock();
  const tool = defineTool({
    name: "probe",
    description: "Probes.",
    input: z.object({ n: z.int().default(0) }),
    output: z.object({ text: z.string() }),
    effects: { files: "read" },
    run: run as never,
  });
  const engine = createEngine({ tools: [tool], capabilities: [files], clock });
  const invoke = async (session = "s1", input: unknown = {}, signal?: AbortSignal) =>
    engine.scope(principal, { session }).invokeNamed("probe", input, signal && { signal });
  return { clock, invoke };
}

const fine = () => ({ text: "x" });

describe("the notes of a result", () => {
  it("are absent when there is nothing to say", async () => {
    expect(await setUp(fine).invoke()).not.toHaveProperty("notes");
  });

  it("name each repair, whatever the ending", async () => {
    const notes = ["The input was repaired at /n: read the text as a number"];
    expect(await setUp(fine).invoke("s1", { n: "3" })).toMatchObject({ status: "done", notes, content: [{ text: '{"text":"x"}' }] });
    const crash = setUp(() => {
      throw new Error("no");
    });
    expect(await crash.invoke("s1", { n: "3" })).toMatchObject({ status: "failed", notes });
  });

  it("hold what the tool itself says, with the artifacts that nothing else names", async () => {
    const { invoke } = setUp(async (_, ctx: { note: (text: string) => void; artifacts: { save: (file: object) => Promise<unknown> } }) => {
      ctx.note("Page 2 is empty.");
      await ctx.artifacts.save({ name: "plot.png", mediaType: "image/png", content: "png" });
      return { text: "x" };
    });
    expect((await invoke()).notes).toEqual([
      "Page 2 is empty.",
      expect.stringMatching(/^Artifact art_[\w-]+ holds "plot.png" \(image\/png, 3 bytes\)\.$/),
    ]);
  });

  it("say the way to the whole of a cut once", async () => {
    const { notes = [], artifacts } = await setUp(() => ({ text: "y".repeat(300_000) })).invoke();
    expect(notes).toHaveLength(1);
    expect(notes[0]!.split(artifacts[0]!.id)).toHaveLength(2);
  });

  it("count what is more than anybody reads", async () => {
    const many = Object.fromEntries(Array.from({ length: 30 }, (_, index) => [`text${index}`, "z".repeat(20_000)]));
    const output = z.looseObject({});
    const tool = defineTool({ name: "many", description: "Returns much.", input: z.object({}), output, run: () => many });
    const { notes = [] } = await createEngine({ tools: [tool] })
      .scope(principal, { session: "s1" })
      .invoke("many", {});
    expect(notes).toEqual([
      expect.stringMatching(/^The output was cut: \/text0 \(.* and 25 more places\. The whole is artifact art_[\w-]+\.$/),
    ]);
  });
});

describe("missing protection", () => {
  const note = expect.stringContaining("The network was open.");

  it("is told once a session, and to every other session too", async () => {
    const { invoke } = setUp(fine, () => ["The network was open."]);
    expect((await invoke()).notes).toEqual([note]);
    expect(await invoke()).not.toHaveProperty("notes");
    expect((await invoke("s2")).notes).toEqual([note]);
    expect((await invoke()).posture?.gaps).toEqual(["The network was open."]);
  });

  it("is told briefly: what is long is counted, and stands in the posture", async () => {
    const long = `The command ${"really ".repeat(20)}could do it.`;
    const notesOf = async (...gaps: string[]) => (await setUp(fine, () => gaps).invoke()).notes;
    expect(await notesOf("The network was open.", long)).toEqual([
      "Protection of runs here (host): The network was open. 1 more gap, listed in the posture of this result.",
    ]);
    expect(await notesOf(long, `${long} Twice.`)).toEqual([
      "Protection of runs here (host): 2 gaps, listed in the posture of this result.",
    ]);
  });

  it("is told again when something else is missing, and after an hour", async () => {
    const gaps = ["The network was open."];
    const { invoke, clock } = setUp(fine, () => gaps);
    await invoke();
    gaps.push("Protected paths could be written.");
    expect((await invoke()).notes).toEqual(["Protection of runs here (host): Protected paths could be written."]);
    await clock.advance(hour);
    expect((await invoke()).notes).toEqual(["Protection of runs here (host): The network was open. Protected paths could be written."]);
  });

  it("is told with the next answer when the call was cancelled before it had one", async () => {
    const abort = new AbortController();
    const { invoke } = setUp(
      (_, { signal }: { signal: AbortSignal }) => {
        if (abort.signal.aborted) return fine();
        queueMicrotask(() => abort.abort());
        return new Promise((_resolve, reject) => signal.addEventListener("abort", () => reject(new Error("stopped"))));
      },
      () => ["The network was open."],
    );
    const cancelled = await invoke("s1", {}, abort.signal);
    expect(cancelled.status).toBe("cancelled");
    expect(cancelled).not.toHaveProperty("notes");
    expect((await invoke()).notes).toEqual([note]);
  });
});
