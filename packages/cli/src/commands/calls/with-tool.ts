import type { Scope } from "@toolwright/engine";
import type { ToolSummary } from "@toolwright/engine/operations";
import type { ComposeOptions, Toolwright } from "@toolwright/server";
import { Command, Option } from "commander";
import { CliError } from "../../cli-error.ts";
import { hasField } from "../../input/read-fields.ts";
import { takeOptions } from "../../input/take-options.ts";
import type { Io } from "../../io.ts";
import { cliSessionName } from "../../session-name.ts";
import { readSettings } from "../../settings.ts";
import { lookForTool } from "../context/find-tool.ts";
import type { Operate } from "../context/operate.ts";
import { findLocalServer, openServer, type RemoteServer } from "../context/operate-remotely.ts";
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

/** Where a command line about a tool is done: here, on the server that it names, or on the one that runs on this state folder. */
export type Place = { readonly operate: Operate } & (
  | { readonly here: { readonly toolwright: Toolwright; readonly scope: Scope }; readonly server?: undefined }
  | { readonly here?: undefined; readonly server: RemoteServer }
);

export type OpenTool<Options extends CallOptions> = Place & {
  /** Here hidden ones too; undefined when there is none of that name. */
  readonly tool: ToolSummary | undefined;
  readonly options: Options;
  /** What is left for the tool. */
  readonly words: readonly string[];
};

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
    return await withAnswerer(io, options, async (place) => {
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
  const look = withAnswerer(io, { ...options, callsNothing: true }, async (place) => {
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

export async function withAnswerer<Result>(
  io: Io,
  options: CallOptions & ComposeOptions,
  use: (place: Place) => Promise<Result>,
): Promise<Result> {
  const { tenant, agent, server } = options;
  const on = (remote: RemoteServer) => use({ operate: remote.operate, server: remote });
  if (server !== undefined) {
    if (agent !== undefined) throw new CliError("With --server, the key says which agent it is. Leave --agent out.");
    return on(openServer(io, options));
  }
  const { isInteractive: interactive } = io;
  // Which agents there are is known to the policy of the composition.
  const local =
    agent === undefined &&
    (await findLocalServer(io, { settings: readSettings(options, io), tenant, interactive, session: cliSessionName() }));
  if (local) return on(local);
  const [{ requireKnownAgent }, { withToolwright }, { cliScope }, { operateAs }] = await Promise.all([
    import("../context/require-agent.ts"),
    import("../context/with-toolwright.ts"),
    import("../../caller.ts"),
    import("../context/operate.ts"),
  ]);
  return withToolwright(io, options, async (toolwright) => {
    await requireKnownAgent(toolwright, tenant, agent);
    const scope = await cliScope(toolwright, io, { tenant, agent });
    return use({ operate: operateAs(scope, toolwright), here: { toolwright, scope } });
  });
}
