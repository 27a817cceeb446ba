// What an embedder writes, in a project of its own with nothing but the packed packages.
import { createJudge } from "@toolwright/commands";
import { createEngine, defineTool } from "@toolwright/engine";
import { filesCapability } from "@toolwright/sandbox";
import { z } from "zod";

const wordCount = defineTool({
  name: "word_count",
  description: "Count the words of a text file in the workspace.",
  input: z.object({ path: z.string().describe("Path relative to the workspace") }),
  output: z.object({ words: z.int() }),
  effects: { files: "read" },
  run: async ({ path }, { files }) => ({ words: (await files.readLines(path)).text.split(/\s+/).filter(Boolean).length }),
});
const engine = createEngine({ tools: [wordCount], capabilities: [filesCapability({ workspaceOf: () => "workspace" })] });
const scope = engine.scope({ tenant: "acme", actor: { kind: "user", id: "ann" }, permissions: [], door: "rest" }, { session: "s1" });
const result = await scope.invoke("word_count", { path: "notes.txt" });
const words: number | undefined = result.status === "done" ? result.output.words : undefined;
// @ts-expect-error: there is no such tool.
const misnamed = await scope.invoke("word_cuont", { path: "notes.txt" });
await engine.close();
console.log(JSON.stringify({ words, misnamed: misnamed.status, push: createJudge({ deny: ["git push *"] })("git push").effect }));
