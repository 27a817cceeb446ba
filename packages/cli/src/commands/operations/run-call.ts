import type { ShellCall } from "@toolwright/engine/shell";
import { printHelp } from "../../input/read-input.ts";
import type { Io } from "../../io.ts";
import { describeWhereabouts } from "../../output/describe-options.ts";
import { type OpenTool, withTool } from "../calls/with-tool.ts";
import { findAnyTool, refuseHidden, refuseUnknown } from "../context/find-tool.ts";
import { explainTo } from "./explain-to.ts";
import type { GeneratedCommand } from "./generated-command.ts";
import { readCallInput } from "./read-call.ts";
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
