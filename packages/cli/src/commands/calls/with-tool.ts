import type { Scope } from "@toolwright/engine";
import type { ToolSummary } from "@toolwright/engine/operations";
import type { ComposeOptions, Toolwright } from "@toolwright/server";
import { Command, Option } from "commander";
import { cliScope } from "../../caller.ts";
import { CliError } from "../../cli-error.ts";
import { hasField } from "../../input/read-fields.ts";
import { takeOptions } from "../../input/take-options.ts";
import type { Io } from "../../io.ts";
import { lookForTool } from "../context/find-tool.ts";
import { type Operate, operateAs } from "../context/operate.ts";
import { operateRemotely } from "../context/operate-remotely.ts";
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

/** Where a command line about a tool is done: here, or on the server that it names. */
export interface Place {
  readonly operate: Operate;
  /** Undefined with --server. */
  readonly here: { readonly toolwright: Toolwright; readonly scope: Scope } | undefined;
}

export interface OpenTool<Options extends CallOptions> extends Place {
  /** Here hidden ones too; undefined when there is none of that name. */
  readonly tool: ToolSummary | undefined;
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
    return await withPlace(io, options, async (place) => {
      const tool = await findAny(place, line.name);
      if (mayReread && !tool && taken.some((name) => name !== "help" && name !== "json")) return {};
      const fields = mayReread && tool ? taken.filter((name) => hasField(name, tool.inputSchema)) : [];
      if (fields.length > 0) return { fields };
      isUsed = true;
      refuseServer(words, tool, line.name);
      return { code: await use({ ...place, tool, options, words }) };
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
  const look = withPlace(io, { ...options, callsNothing: true }, async (place) => {
    const tool = await findAny(place, name);
    return tool ? taken.filter((each) => hasField(each, tool.inputSchema)) : [];
  });
  return look.catch(() => []);
}

/** For whoever writes the option where others may stand, too. */
function refuseServer(words: readonly string[], tool: ToolSummary | undefined, name: string): void {
  if (!tool || hasField("server", tool.inputSchema) || !words.some((word) => /^--server(=|$)/.test(word))) return;
  throw new CliError(`--server stands before the tool's name, as in toolwright call --server https://tools.example.org ${name}.`);
}

const findAny = ({ operate, here }: Place, name: string): Promise<ToolSummary | undefined> =>
  here ? Promise.resolve(here.scope.survey().find(({ tool }) => tool.name === name)?.tool) : lookForTool(operate, name);

async function withPlace<Result>(io: Io, options: CallOptions & ComposeOptions, use: (place: Place) => Promise<Result>): Promise<Result> {
  const { tenant, agent, server } = options;
  if (server !== undefined) {
    if (agent !== undefined) throw new CliError("With --server, the key says which agent it is. Leave --agent out.");
    return use({ operate: operateRemotely(io, options), here: undefined });
  }
  return withToolwright(io, options, async (toolwright) => {
    await requireKnownAgent(toolwright, tenant, agent);
    const scope = await cliScope(toolwright, io, { tenant, agent });
    return use({ operate: operateAs(scope, toolwright), here: { toolwright, scope } });
  });
}
