import type { Scope, ToolView } from "@toolwright/engine";
import type { ComposeOptions, Toolwright } from "@toolwright/server";
import { Command, Option } from "commander";
import { cliScope } from "../../caller.ts";
import { CliError } from "../../cli-error.ts";
import { hasField } from "../../input/read-fields.ts";
import { takeOptions } from "../../input/take-options.ts";
import type { Io } from "../../io.ts";
import { requireKnownAgent } from "../context/require-agent.ts";
import { withToolwright } from "../context/with-toolwright.ts";
import type { CallOptions } from "./define-call-options.ts";

/** One command line about a tool, as it was typed. */
export interface ToolLine<Options extends CallOptions> {
  /** That stood before the tool's name. */
  readonly options: Options;
  readonly name: string;
  /** All that followed it. */
  readonly words: readonly string[];
  /** Declares the options of the command, which may also stand among the words. */
  readonly declare: (command: Command) => Command;
}

export interface OpenTool<Options extends CallOptions> {
  readonly toolwright: Toolwright;
  readonly scope: Scope;
  /** Hidden ones too; undefined when there is none of that name. */
  readonly tool: ToolView | undefined;
  readonly options: Options;
  /** What is left for the tool. */
  readonly words: readonly string[];
}

type Use<Options extends CallOptions> = (open: OpenTool<Options>) => Promise<number>;

/**
 * Opens what a command line about a tool needs. Among the words after the tool's name an option that the tool has as a field is the tool's:
 * which those are is known once the tools are loaded, and the options may say from where.
 */
export async function withTool<Options extends CallOptions>(io: Io, line: ToolLine<Options>, use: Use<Options>): Promise<number> {
  const reading = readLine(line, []);
  const first = await openLine(io, { line, reading, mayReread: reading.taken.length > 0 }, use);
  if ("code" in first) return first.code;
  const fields = first.fields ?? (await findFields(io, line, reading.taken));
  if (fields.length === 0 && first.error !== undefined) throw first.error;
  const second = await openLine(io, { line, reading: readLine(line, fields), mayReread: false }, use);
  if ("code" in second) return second.code;
  throw second.error;
}

interface Reading<Options extends CallOptions> {
  readonly options: Options;
  /** Names of the options among the words. */
  readonly taken: readonly string[];
  readonly words: readonly string[];
}

/** `fields` are names of options that are the tool's. */
export function readLine<Options extends CallOptions>(
  { options, words, declare }: ToolLine<Options>,
  fields: readonly string[],
): Reading<Options> {
  const known = [...declare(new Command()).options, new Option("--help")];
  const read = takeOptions(words, known, { isField: (name) => fields.includes(name), refuse: (message) => new CliError(message) });
  return { options: { ...options, ...read.options }, taken: read.taken, words: read.words };
}

interface Opening<Options extends CallOptions> {
  readonly line: ToolLine<Options>;
  readonly reading: Reading<Options>;
  /** False: it is used as it is. */
  readonly mayReread: boolean;
}

/** The exit code; or, before anything was done, which options turn out to be the tool's fields, or why it could not be opened so. */
type Opened = { readonly code: number } | { readonly fields?: readonly string[]; readonly error?: unknown };

async function openLine<Options extends CallOptions>(io: Io, opening: Opening<Options>, use: Use<Options>): Promise<Opened> {
  const { line, reading, mayReread } = opening;
  const { options, taken, words } = reading;
  let isUsed = false;
  try {
    return await withScope(io, options, async (toolwright, scope) => {
      const tool = findAny(scope, line.name);
      if (mayReread && !tool && taken.some((name) => name !== "help" && name !== "json")) return {};
      const fields = mayReread && tool ? taken.filter((name) => hasField(name, tool.inputSchema)) : [];
      if (fields.length > 0) return { fields };
      isUsed = true;
      return { code: await use({ toolwright, scope, tool, options, words }) };
    });
  } catch (error) {
    if (isUsed) throw error;
    return { error };
  }
}

/** Those of the options that are fields of the tool which is there without them. */
async function findFields<Options extends CallOptions>(
  io: Io,
  { options, name }: ToolLine<Options>,
  taken: readonly string[],
): Promise<readonly string[]> {
  const look = withScope(io, { ...options, callsNothing: true }, async (_, scope) => {
    const tool = findAny(scope, name);
    return tool ? taken.filter((each) => hasField(each, tool.inputSchema)) : [];
  });
  return look.catch(() => []);
}

const findAny = (scope: Scope, name: string) => scope.survey().find(({ tool }) => tool.name === name)?.tool;

function withScope<Result>(
  io: Io,
  options: CallOptions & ComposeOptions,
  use: (toolwright: Toolwright, scope: Scope) => Promise<Result>,
): Promise<Result> {
  const { tenant, agent } = options;
  return withToolwright(io, options, async (toolwright) => {
    await requireKnownAgent(toolwright, tenant, agent);
    return use(toolwright, cliScope(toolwright, io, { tenant, agent }));
  });
}
