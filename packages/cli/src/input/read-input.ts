import type { JsonObject, ToolView } from "@toolwright/engine";
import { visibleText } from "@toolwright/engine/visible-text";
import { exitCodes } from "../exit-code.ts";
import type { Io } from "../io.ts";
import { describeFields, parseObject, readFields } from "./read-fields.ts";

type Named = Pick<ToolView, "inputSchema" | "name">;

/** One JSON object, `-` for one on stdin, and fields. */
export async function readInput(io: Io, { inputSchema, name }: Named, words: readonly string[]): Promise<JsonObject> {
  const base = words[0] === "-" ? [JSON.stringify(parseObject(await io.readStdin(), name, inputSchema)), ...words.slice(1)] : words;
  return readFields(base, inputSchema, name);
}

export function printHelp(io: Io, { name, description, inputSchema }: Named & Pick<ToolView, "description">): number {
  io.out(`${visibleText(description)}\n\nFields of ${name}:\n${describeFields(inputSchema)}\n`);
  return exitCodes.done;
}

/** Words that cannot be read are no input: that the tool is not to be had comes first. */
export function readLoosely(io: Io, tool: Named, words: readonly string[]): Promise<JsonObject> {
  return readInput(io, tool, words).catch(() => ({}));
}
