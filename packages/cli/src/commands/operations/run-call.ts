import type { JsonObject } from "@toolwright/engine";
import type { ToolSummary } from "@toolwright/engine/operations";
import type { ShellCall } from "@toolwright/engine/shell";
import { parseObject } from "../../input/read-fields.ts";
import { printHelp, readInput, readLoosely } from "../../input/read-input.ts";
import type { Io } from "../../io.ts";
import { describeWhereabouts } from "../../output/describe-options.ts";
import { type OpenTool, withTool } from "../calls/with-tool.ts";
import { findAnyTool, refuseHidden, refuseUnknown } from "../context/find-tool.ts";
import { explainTo } from "./explain-to.ts";
import { attributeOf, type GeneratedCommand } from "./generated-command.ts";
import { readMembers } from "./read-members.ts";
import { runOperation } from "./run-operation.ts";
import { type Answerer, type CommandLine, type Options, withOperate } from "./with-operate.ts";

type CallCommand = GeneratedCommand & { readonly call: ShellCall };
type Open = OpenTool<Options & { readonly help?: boolean }, Answerer>;

/** Does the operation of a command that is about a call, whose input is read by the schema of its tool. */
export async function runCall(io: Io, command: CallCommand, { options: before, words: all, known }: CommandLine): Promise<number> {
  const { call } = command;
  const until = command.arguments.findIndex(({ member }) => member === call.tool) + 1;
  const name = all[until - 1] ?? "";
  const open = <Result>(options: Options, use: (place: Answerer) => Promise<Result>) => withOperate(io, { command, options }, use);
  const find = ({ operate }: Answerer) => findAnyTool(operate, name);
  const use = ({ place, ...opened }: Open) => runKnown(io, place, { ...opened, command, name, before: all.slice(0, until) });
  if (!call.fields) return open(before, async (place) => use({ place, tool: await find(place), options: before, words: [] }));
  const line = { options: before, name, words: all.slice(until), known: known.filter(({ long }) => long !== "--server") };
  return withTool({ ...line, open, find }, use);
}

interface Known extends Omit<Open, "place"> {
  readonly command: CallCommand;
  readonly name: string;
  /** Up to the tool's name. */
  readonly before: readonly string[];
}

async function runKnown(io: Io, { operate, inForce }: Answerer, { command, name, before, tool, options, words }: Known): Promise<number> {
  const { call } = command;
  const about = { where: describeWhereabouts(options), inForce };
  if (!tool) await refuseUnknown(operate, name, about);
  if (options.help && tool) return printHelp(io, tool);
  const members = await readMembers(io, command, { options: { ...options }, words: before });
  const given = await readCallInput(io, command, { tool, name, options: { ...options }, words });
  const explain = explainTo(command, { options, words: before, first: 0 });
  const refuse = refuseHidden(operate, { ...about, name }, explain);
  const input = { ...members, ...(given !== undefined && { [call.input]: given }) };
  return runOperation(io, operate, { command, options, input, inputs: [input], explain: () => refuse });
}

interface TypedCall {
  readonly tool: ToolSummary | undefined;
  readonly name: string;
  readonly options: Readonly<Record<string, unknown>>;
  /** Behind the tool's name, for the tool. */
  readonly words: readonly string[];
}

/** The input of the call that a command line speaks of. Undefined where none was typed, and none is needed. */
async function readCallInput(
  io: Io,
  { call, options: flags }: CallCommand,
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
