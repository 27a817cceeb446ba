import type { ToolSummary } from "@toolwright/engine/operations";
import { Option } from "commander";
import { CliError } from "../../cli-error.ts";
import { hasField } from "../../input/read-fields.ts";
import { takeOptions } from "../../input/take-options.ts";

interface Opening {
  readonly help?: boolean;
  /** True: the tool is only looked for. */
  readonly callsNothing?: boolean;
}

/** One command line about a tool, as it was typed. */
export interface ToolLine<Options extends Opening, Place> {
  /** That stood before the tool's name. */
  readonly options: Options;
  readonly name: string;
  /** All that followed it. */
  readonly words: readonly string[];
  /**
   * The options of the command, which may also stand among the words. Not --server: a tool may have a field of that name, and the server that it
   * names would be sent the key before that is known.
   */
  readonly known: readonly Option[];
  /** Opens what the options name, to be done there. */
  readonly open: <Result>(options: Options, use: (place: Place) => Promise<Result>) => Promise<Result>;
  /** Hidden ones too, for who may know of them; undefined when there is none of that name. */
  readonly find: (place: Place, name: string) => Promise<ToolSummary | undefined>;
}

export interface OpenTool<Options extends Opening, Place> {
  readonly place: Place;
  readonly tool: ToolSummary | undefined;
  readonly options: Options;
  /** What is left for the tool. */
  readonly words: readonly string[];
}

type Use<Options extends Opening, Place> = (open: OpenTool<Options, Place>) => Promise<number>;

/**
 * Opens what a command line about a tool needs. Among the words after the tool's name an option that the tool has as a field is the tool's:
 * which those are is known once the tools are loaded, and the options may say from where.
 */
export async function withTool<Options extends Opening, Place>(line: ToolLine<Options, Place>, use: Use<Options, Place>): Promise<number> {
  const reading = readLine(line, []);
  const first = await openLine({ line, reading, mayReread: reading.taken.length > 0 }, use);
  if ("code" in first) return first.code;
  const fields = first.fields ?? (await findFields(line, reading.taken));
  if (fields.length === 0 && first.error !== undefined) throw first.error;
  const second = await openLine({ line, reading: readLine(line, fields), mayReread: false }, use);
  if ("code" in second) return second.code;
  throw second.error;
}

interface Reading<Options extends Opening> {
  readonly options: Options;
  /** Names of the options among the words. */
  readonly taken: readonly string[];
  readonly words: readonly string[];
}

/** `fields` are names of options that are the tool's. */
function readLine<Options extends Opening, Place>(
  { options, words, known }: ToolLine<Options, Place>,
  fields: readonly string[],
): Reading<Options> {
  const all = [...known, new Option("--help")];
  const read = takeOptions(words, all, { isField: (name) => fields.includes(name), refuse: (message) => new CliError(message) });
  return { options: { ...options, ...read.options }, taken: read.taken, words: read.words };
}

interface LineOpening<Options extends Opening, Place> {
  readonly line: ToolLine<Options, Place>;
  readonly reading: Reading<Options>;
  /** False: it is used as it is. */
  readonly mayReread: boolean;
}

/** The exit code; or, before anything was done, which options turn out to be the tool's fields, or why it could not be opened so. */
type Opened = { readonly code: number } | { readonly fields?: readonly string[]; readonly error?: unknown };

async function openLine<Options extends Opening, Place>(
  { line, reading, mayReread }: LineOpening<Options, Place>,
  use: Use<Options, Place>,
): Promise<Opened> {
  const { options, taken, words } = reading;
  let isUsed = false;
  try {
    return await line.open(options, async (place): Promise<Opened> => {
      const tool = await line.find(place, line.name);
      if (mayReread && !tool && taken.some((name) => name !== "help" && name !== "json")) return {};
      const fields = mayReread && tool ? taken.filter((name) => hasField(name, tool.inputSchema)) : [];
      if (fields.length > 0) return { fields };
      isUsed = true;
      refuseServer(words, tool, line.name);
      return { code: await use({ place, tool, options, words }) };
    });
  } catch (error) {
    if (isUsed) throw error;
    return { error };
  }
}

/** Those of the options that are fields of the tool which is there without them. */
async function findFields<Options extends Opening, Place>(
  { options, name, open, find }: ToolLine<Options, Place>,
  taken: readonly string[],
): Promise<readonly string[]> {
  const look = open({ ...options, callsNothing: true }, async (place) => {
    const tool = await find(place, name);
    return tool ? taken.filter((each) => hasField(each, tool.inputSchema)) : [];
  });
  return look.catch(() => []);
}

/** For whoever writes the option where others may stand, too. */
function refuseServer(words: readonly string[], tool: ToolSummary | undefined, name: string): void {
  if (!tool || hasField("server", tool.inputSchema) || !words.some((word) => /^--server(=|$)/.test(word))) return;
  throw new CliError(`--server stands before the tool's name, as in toolwright call --server https://tools.example.org ${name}.`);
}
