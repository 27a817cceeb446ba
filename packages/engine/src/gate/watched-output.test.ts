import { expect, it } from "vitest";
import { z } from "zod";
import { createEngine } from "../engine.ts";
import { principal } from "../testing/probe-tool.ts";
import { defineTool } from "../tool/define-tool.ts";

const build = (text: string) =>
  defineTool({
    name: "build",
    description: "Builds. To read a file use file_read.",
    input: z.object({}),
    output: z.object({ stdout: z.string(), code: z.int() }),
    streamed: ["stdout"],
    exitCode: ({ code }) => code,
    toModel: ({ stdout, code }) => [{ type: "text", text: `code ${code}${stdout === "" ? "" : `: ${stdout}`}` }],
    run(_, { output }) {
      output.append(text);
      return { stdout: text || "unseen", code: 7 };
    },
  });

async function call(text: string, showsOutput: boolean) {
  const scope = createEngine({ tools: [build(text)] }).scope(principal, { session: "s" });
  const seen: string[] = [];
  const result = await scope.invoke("build", {}, { onOutput: (words) => void seen.push(words), showsOutput });
  return { result, seen: seen.join("") };
}

it("a caller that showed the output is not given it again in the view, but in the output", async () => {
  const { result, seen } = await call("made it", true);
  expect(seen).toBe("made it");
  expect(result).toMatchObject({ content: [{ type: "text", text: "code 7" }], output: { stdout: "made it" } });
});

it.each([
  ["to one that showed nothing of it", "made it", false, "code 7: made it"],
  ["where nothing was streamed", "", true, "code 7: unseen"],
])("the whole view is given %s", async (_, text, showsOutput, view) => {
  expect((await call(text, showsOutput)).result).toMatchObject({ content: [{ type: "text", text: view }] });
});

it("the exit code of the command that the tool ran is in the result", async () => {
  expect((await call("", false)).result).toMatchObject({ status: "done", exitCode: 7 });
});
