import type { JsonObject } from "@toolwright/engine";
import type { ToolSummary } from "@toolwright/engine/operations";
import { visibleText } from "@toolwright/engine/ports";
import { describePosition } from "@toolwright/server/policy-file";
import { exitCodes } from "../../exit-code.ts";
import { parseObject } from "../../input/read-fields.ts";
import { printHelp, readInput } from "../../input/read-input.ts";
import type { Io } from "../../io.ts";
import { describeWhereabouts } from "../../output/describe-options.ts";
import { unknownTool } from "../context/find-tool.ts";
import { type CallOptions, withWhyOptions } from "./define-call-options.ts";
import { withTool } from "./with-tool.ts";

export function why(io: Io, options: CallOptions, [name = "", ...words]: readonly string[]): Promise<number> {
  return withTool(io, { options, name, words, declare: withWhyOptions }, async ({ operate, tool, ...open }) => {
    if (!tool) throw await unknownTool(operate, name, describeWhereabouts(open.options));
    if (open.options.help) return printHelp(io, tool);
    const input = await readJudged(io, tool, open);
    const { explanation } = await operate("policy.why", { tool: name, input });
    if (open.options.json) io.out(`${JSON.stringify(explanation, null, 2)}\n`);
    else {
      const lines = Object.entries(explanation.places ?? {}).map(([rule, place]) => `${rule} is at ${describePosition(place)}.`);
      const checks =
        explanation.admission?.checks.map(({ check, passed, reason }) => `${passed ? "passed" : "failed"} ${check}: ${reason}`) ?? [];
      io.out(`${[explanation.text, ...lines, ...checks].map(visibleText).join("\n")}\n`);
    }
    return explanation.misfit !== undefined ? exitCodes.usage : exitCodes.done;
  });
}

/** Undefined when no input was given at all. */
async function readJudged(
  io: Io,
  tool: ToolSummary,
  { options: { input }, words }: { readonly options: CallOptions; readonly words: readonly string[] },
): Promise<JsonObject | undefined> {
  if (input === undefined) return words.length === 0 ? undefined : readInput(io, tool, words);
  const named = parseObject(input, tool.name, tool.inputSchema);
  return words.length === 0 ? named : readInput(io, tool, [JSON.stringify(named), ...words]);
}
