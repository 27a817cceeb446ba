import { createEngine, defaultPolicy } from "@toolwright/engine";
import { createMemoryArtifactStore } from "@toolwright/engine/ports";
import { describe, expect, it } from "vitest";
import artifactRead from "./artifact-read.ts";

async function read(content: string | Uint8Array, input: { offset?: number; id?: string } = {}, tenant = "acme") {
  const artifacts = createMemoryArtifactStore();
  const writer = await artifacts.create({ tenant: "acme", session: "s", callId: "c" }, { name: "out.txt", mediaType: "text/plain" });
  await writer.write(typeof content === "string" ? Buffer.from(content) : content);
  const { id } = await writer.finish();
  const engine = createEngine({ tools: [artifactRead], artifacts, policy: [{ tier: "platform", document: defaultPolicy }] });
  const scope = engine.scope({ tenant, actor: { kind: "agent", id: "a" }, permissions: [], door: "mcp" }, { session: "s" });
  return scope.invoke("artifact_read", { id, ...input });
}

describe("artifact_read", () => {
  it("gives a small artifact whole", async () => {
    expect(await read("hello")).toMatchObject({ status: "done", output: { text: "hello", size: 5, nextOffset: null } });
  });

  it("gives a long one in parts that join to the whole, whatever the width of its characters", async () => {
    const whole = "aé€😀".repeat(15_000);
    let text = "";
    let offset: number | null = 0;
    while (offset !== null) {
      const result = await read(whole, { offset });
      if (result.status !== "done") throw new Error(JSON.stringify(result));
      const part = result.output as { text: string; nextOffset: number | null };
      text += part.text;
      offset = part.nextOffset;
    }
    expect(text).toBe(whole);
  });

  it("says that a binary artifact cannot be read this way", async () => {
    expect(await read(Uint8Array.from([0xff, 0xd8, 0, 1]))).toMatchObject({ status: "failed", error: { toolCode: "not_text" } });
  });

  it("answers another tenant as if there were no such artifact (R-TN-3)", async () => {
    expect(await read("secret", {}, "other")).toMatchObject({ status: "failed", error: { code: "artifact_not_found" } });
    expect(await read("secret", { id: "art_missing" })).toMatchObject({ status: "failed", error: { code: "artifact_not_found" } });
  });
});
