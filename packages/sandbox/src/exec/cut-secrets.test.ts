import { createEngine, defineTool, type Exec, parsePolicyDocument } from "@toolwright/engine";
import { createMemoryArtifactStore, createMemorySecretStore } from "@toolwright/engine/ports";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { OutputBuffer, OutputCapture } from "./capture-output.ts";

const forms: readonly [string, (value: string) => string][] = [
  ["as it is", (value) => value],
  ["in JSON", (value) => JSON.stringify(value).slice(1, -1)],
  ["in a URL", encodeURIComponent],
  ["in hex", (value) => Buffer.from(value).toString("hex")],
  ["in base64", (value) => Buffer.from(value).toString("base64")],
];
const secret = fc.string({
  unit: fc.constantFrom(...'abcdefghijkmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789+/=%&é"'),
  minLength: 12,
  maxLength: 80,
});
const aside = fc.string({ unit: fc.constantFrom(" ", ".", "|", "\n"), maxLength: 300 });
const policy = parsePolicyDocument({
  version: 1,
  autonomy: "full",
  commands: { mode: "full", block_high_risk: false, approve_medium_risk: false },
});

interface Written {
  readonly value: string;
  readonly chunks: readonly string[];
  readonly maxOutputBytes: number;
}

/** Everything that comes of output in these chunks, of a command in a call that was given the secret. */
async function capture({ value, chunks, maxOutputBytes }: Written): Promise<string> {
  const secrets = createMemorySecretStore();
  await secrets.set({ tenant: "t", name: "KEY" }, value);
  const artifacts = createMemoryArtifactStore();
  const buffered: string[] = [];
  const tool = defineTool({
    name: "print",
    description: "Prints.",
    input: z.object({}),
    output: z.object({ text: z.string() }),
    effects: { secrets: ["KEY"], exec: "run" },
    async run(_, { secrets: own, exec }) {
      await own.get("KEY");
      return { text: (await exec.run({ command: "true" })).stdout };
    },
  });
  const engine = createEngine({
    tools: [tool],
    secrets,
    artifacts,
    machine: () => ({ sandbox: { available: true, detail: "" } }),
    policy: [{ tier: "platform", document: policy }],
    capabilities: [
      {
        name: "exec",
        open: (_, site) =>
          ({
            async run() {
              const captured = new OutputCapture("stdout", site, { maxOutputBytes, maxArtifactBytes: maxOutputBytes * 2 });
              const buffer = new OutputBuffer(maxOutputBytes, () => site.redactStream());
              for (const chunk of chunks) {
                captured.push(Buffer.from(chunk));
                buffer.push("stdout", Buffer.from(chunk));
              }
              buffer.end();
              for (let cursor = 0, read = buffer.read(0, 10); read.text !== ""; read = buffer.read(cursor, 10)) {
                buffered.push(read.text);
                cursor = read.cursor;
              }
              return { stdout: (await captured.finish()).text } as never;
            },
          }) as Partial<Exec> as Exec,
      },
    ],
  });
  const live: string[] = [];
  const result = await engine
    .scope({ tenant: "t", actor: { kind: "agent", id: "a" }, permissions: [], door: "mcp" }, { session: "s" })
    .invoke("print", {}, { onOutput: (text) => void live.push(text) });
  if (result.status !== "done") throw new Error(JSON.stringify(result));
  const kept = await Promise.all((await artifacts.list("t", "s")).map(({ id }) => artifacts.read("t", id)));
  await engine.close();
  return [
    (result.output as { text: string }).text,
    live.join(""),
    buffered.join(""),
    ...kept.map(({ bytes }) => Buffer.from(bytes).toString()),
  ].join("\u0000");
}

const print = fc.record({
  value: secret,
  before: aside,
  after: aside,
  maxOutputBytes: fc.integer({ min: 16, max: 400 }),
  step: fc.integer({ min: 1, max: 60 }),
});

describe("output that is cut (R-TN-4)", () => {
  it.each(forms)("holds no run of eight characters of a secret %s, in result, artifact, live output and buffer", async (_, encode) => {
    await fc.assert(
      fc.asyncProperty(print, async ({ value, before, after, maxOutputBytes, step }) => {
        const written = encode(value);
        const chunks = (before + written + after + written).match(new RegExp(`[^]{1,${step}}`, "gu")) ?? [];
        const seen = await capture({ value, chunks, maxOutputBytes });
        const runs = Array.from({ length: Math.max(0, written.length - 7) }, (__, at) => written.slice(at, at + 8));
        expect(runs.filter((run) => seen.includes(run))).toEqual([]);
      }),
      { numRuns: 50 },
    );
  });
});
