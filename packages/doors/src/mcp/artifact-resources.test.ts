import { createEngine } from "@toolwright/engine";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { add, ann } from "../../test/mcp-client.ts";
import { readArtifact } from "./artifact-resources.ts";

/** A scope with one artifact in it. */
async function scopeWith(content: string | Uint8Array, mediaType: string) {
  const saving = {
    ...add,
    name: "save",
    input: z.object({}),
    output: z.object({ id: z.string() }),
    run: async (_: never, ctx: { artifacts: { save(file: object): Promise<{ id: string }> } }) => ({
      id: (await ctx.artifacts.save({ name: "file", mediaType, content })).id,
    }),
  };
  const scope = createEngine({ tools: [saving] }).scope(ann, { session: "s" });
  const result = await scope.invokeNamed("save", {});
  if (result.status !== "done") throw new Error(`The artifact was not saved: ${JSON.stringify(result)}`);
  return { scope, id: (result.output as { id: string }).id };
}

const metaOf = (contents: readonly { _meta?: Record<string, unknown> | undefined }[]) =>
  contents[0]?._meta?.["dev.toolwright/call"] as { next?: string; bytes: number } | undefined;

describe("an artifact in pages", () => {
  it("gives the whole text, whatever its characters and the page's size", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.string({ unit: "binary", minLength: 1, maxLength: 60 }),
        fc.integer({ min: 4, max: 20 }),
        async (text, length) => {
          const whole = text.toWellFormed();
          const { scope, id } = await scopeWith(whole, "text/plain");
          let read = "";
          let uri: string | undefined = `artifact://${id}?length=${length}`;
          while (uri) {
            const { contents } = await readArtifact(uri, scope);
            read += contents[0] && "text" in contents[0] ? contents[0].text : "";
            const next = metaOf(contents)?.next;
            uri = next && `${next}&length=${length}`;
          }
          expect(read).toBe(whole);
        },
      ),
      { numRuns: 60 },
    );
  });

  it("gives other bytes as base64", async () => {
    const { scope, id } = await scopeWith(new Uint8Array([0xff, 0x00, 0x80]), "image/png");
    const { contents } = await readArtifact(`artifact://${id}`, scope);
    expect(contents[0]).toMatchObject({ mimeType: "image/png", blob: "/wCA" });
  });

  it("never gives more than a page at once, however much is asked", async () => {
    const { scope, id } = await scopeWith("x".repeat(600_000), "text/plain");
    const { contents } = await readArtifact(`artifact://${id}?length=600000`, scope);
    expect(metaOf(contents)).toMatchObject({ bytes: 262_144, next: `artifact://${id}?offset=262144` });
  });
});

describe("what is not there", () => {
  it.each([
    { name: "an unknown id", uri: "artifact://art_unknown" },
    { name: "a path", uri: "artifact://../../etc/passwd" },
    { name: "an encoded path", uri: "artifact://%2e%2e%2fetc" },
    { name: "a negative offset", uri: "artifact://ID?offset=-1" },
    { name: "an offset that is no number", uri: "artifact://ID?offset=1e999" },
    { name: "no length", uri: "artifact://ID?length=0" },
    { name: "nothing", uri: "artifact://" },
  ])("is not found: $name", async ({ uri }) => {
    const { scope, id } = await scopeWith("x", "text/plain");
    await expect(readArtifact(uri.replace("ID", id), scope)).rejects.toMatchObject({ code: -32602, message: "Resource not found" });
  });

  it("is what another tenant has (R-TN-3)", async () => {
    const { id } = await scopeWith("secret", "text/plain");
    const engine = createEngine({});
    const foreign = engine.scope({ ...ann, tenant: "other" }, { session: "s" });
    await expect(readArtifact(`artifact://${id}`, foreign)).rejects.toMatchObject({ code: -32602 });
  });
});
