import { describe, expect, it } from "vitest";
import { z } from "zod";
import { createEngine } from "../engine.ts";
import type { CapabilityProvider } from "../ports/capability.ts";
import { principal } from "../testing/probe-tool.ts";
import { defineTool } from "../tool/define-tool.ts";

const fetchTool = defineTool({
  name: "fetch",
  description: "Fetches. To read a file use file_read.",
  input: z.object({ url: z.string(), credential: z.string().nullish() }),
  output: z.object({}),
  effects: { http: "read" },
  aliases: { address: "url" },
  reaches: ({ url, credential }) => [{ kind: "request", method: "GET", url, ...(credential != null && { credential }) }],
  run: () => ({}),
});

const caution = { rule: "machine.odd", reason: "Something is odd here.", subject: "odd", remedy: "Look at it." };

function scopeWith(more: Partial<CapabilityProvider> = {}) {
  const http = { name: "http", open: () => ({}) as never, ...more } as CapabilityProvider;
  return createEngine({ tools: [fetchTool], capabilities: [http] }).scope(principal, { session: "s" });
}

const url = "https://example.org/";

describe("an explanation never says yes where the call does not run", () => {
  it("without an input it says what of the input decides", async () => {
    const explanation = await scopeWith().explain("fetch");
    expect(explanation.dependsOn).toEqual([expect.stringContaining("requires url"), expect.stringContaining("each request")]);
    expect(explanation.text).toContain("depends on its input");
  });

  it("a secret that the input names and nobody set is in the answer, at once", () => {
    const explanation = scopeWith().why("fetch", { url, credential: "MISSING" });
    expect(explanation).toMatchObject({ obstacles: ['the secret "MISSING" is not set.'] });
    expect(explanation.text).not.toMatch(/^Allowed/m);
  });

  it("what a capability refuses is in the answer, in its words", async () => {
    const refusing = scopeWith({ refusal: async () => "That host is closed." });
    expect((await refusing.explain("fetch", { url })).text).toMatch(/^Does not run: That host is closed\.$/m);
  });

  it("what only the machine holds against a call makes it ask", async () => {
    const scope = scopeWith({ caution: async () => [caution] });
    expect(scope.why("fetch", { url }).decision?.effect).toBe("allow");
    expect(await scope.explain("fetch", { url })).toMatchObject({ decision: { effect: "ask", rule: "machine.odd" } });
  });

  it("an input that does not fit has the words of a call for each of its parts", async () => {
    const scope = scopeWith();
    const called = await scope.invoke("fetch", { url: 5 } as never);
    const explanation = await scope.explain("fetch", { url: 5 });
    expect(called.status === "failed" && called.error.details).toEqual(explanation.issues);
    expect(explanation.issues).toMatchObject([{ path: "/url", message: expect.any(String) }]);
    expect((await scope.explain("fetch", { url })).issues).toBeUndefined();
  });

  it("a repair is told, and a call that is fine is allowed", async () => {
    const explanation = await scopeWith().explain("fetch", { address: url });
    expect(explanation).toMatchObject({ decision: { effect: "allow" }, repairs: [{ path: "/url" }] });
    expect(explanation.text).toMatch(/Repaired \/url: took "address".*\nAllowed: /s);
  });
});
