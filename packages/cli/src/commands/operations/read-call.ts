import type { JsonObject } from "@toolwright/engine";
import type { ToolSummary } from "@toolwright/engine/operations";
import type { ShellCall } from "@toolwright/engine/shell";
import { parseObject } from "../../input/read-fields.ts";
import { readInput, readLoosely } from "../../input/read-input.ts";
import type { Io } from "../../io.ts";
import { attributeOf, type GeneratedCommand } from "./generated-command.ts";

interface TypedCall {
  readonly tool: ToolSummary | undefined;
  readonly name: string;
  readonly options: Readonly<Record<string, unknown>>;
  /** Behind the tool's name, for the tool. */
  readonly words: readonly string[];
}

/** The input of the call that a command line speaks of. Undefined where none was typed, and none is needed. */
export async function readCallInput(
  io: Io,
  { call, options: flags }: GeneratedCommand & { readonly call: ShellCall },
  { tool, name, options, words }: TypedCall,
): Promise<JsonObject | undefined> {
  const flag = flags.find(({ member }) => member === call.input);
  const json = flag && options[attributeOf(flag)];
  // Words for a tool that there is not are no input: that it is not to be had comes first.
  const read = tool ? readInput : readLoosely;
  const named = tool ?? { name, inputSchema: {} };
  if (json === undefined) return words.length === 0 && !call.needed ? undefined : read(io, named, words);
  const given = parseObject(String(json), name, named.inputSchema);
  return words.length === 0 ? given : read(io, named, [JSON.stringify(given), ...words]);
}
