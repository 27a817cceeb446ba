import { isDeepStrictEqual } from "node:util";
import { visibleText } from "@toolwright/engine/ports";
import { CliError } from "../../cli-error.ts";
import { type ChosenConnection, type ConnectionOptions, chooseConnection } from "../../client-config/choose-connection.ts";
import type { Members } from "../../client-config/config-format.ts";
import { describeChange } from "../../client-config/describe-change.ts";
import { editConfig, readEntry } from "../../client-config/edit-config.ts";
import { type InstallRecord, openInstallRecords, sha256 } from "../../client-config/install-records.ts";
import type { ClientScope, McpClient } from "../../client-config/mcp-clients.ts";
import { exitCodes } from "../../exit-code.ts";
import type { Io } from "../../io.ts";
import { readSettings } from "../../settings.ts";
import {
  type AskingOptions,
  type ClientFile,
  clientEnvironment,
  configFile,
  entryName,
  findClient,
  mayWrite,
  readClientFile,
  readClientScope,
  writeClientFile,
} from "./client-file.ts";
import { installHooks, requireHooks } from "./install-hooks.ts";

type InstallOptions = ConnectionOptions & AskingOptions & { readonly hooks?: boolean };

/** Writes the entry of this program into a client's own configuration, and its hooks where they are wanted. */
export async function install(io: Io, options: InstallOptions, [name = ""]: readonly string[]): Promise<number> {
  const client = findClient(name);
  const scope = readClientScope(options.scope) ?? "user";
  const hooks = options.hooks ? requireHooks(client) : undefined;
  const code = await installEntry(io, options, { client, scope });
  if (hooks && code === exitCodes.done) await installHooks(io, options, { hooks, scope, title: client.title });
  return code;
}

async function installEntry(
  io: Io,
  options: InstallOptions,
  { client, scope }: { readonly client: McpClient; readonly scope: ClientScope },
): Promise<number> {
  const settings = readSettings(options, io);
  const found = readClientFile(configFile(client, scope, clientEnvironment(io)));
  // A file that cannot be edited is told before a server is looked for.
  readEntry(client.format, found, { section: client.section, name: entryName });
  const chosen = await chooseConnection(client, io, { options, settings });
  const entry = entryOf(client, chosen);
  const plan = planInstall(client, found, entry);
  const told: Told = { client, scope, file: found.file, chosen, entry };
  if (plan.isThere) return tell(io, options, { ...told, written: false, words: `${client.title} is connected already, by ${found.file}.` });
  const shown = describeChange(found.file, found.text, plan.after);
  if (options.print) return tell(io, options, { ...told, written: false, words: shown });
  if (!(await mayWrite(io, options, { shown, question: `Write this for ${client.title}?` }))) return exitCodes.cancelled;
  const copy = write(client, { found, entry, scope, state: settings.state });
  return tell(io, options, {
    ...told,
    written: true,
    copy,
    words: `Wrote ${found.file}.${copy === undefined ? "" : ` The file as it was: ${copy}`}`,
  });
}

function entryOf(client: McpClient, { connection }: ChosenConnection): Members {
  return connection.transport === "http" ? client.http(connection) : client.stdio(connection);
}

function planInstall(client: McpClient, found: Pick<ClientFile, "file" | "text">, entry: Members) {
  const { section, format } = client;
  const { entry: previous, hasSection } = readEntry(format, found, { section, name: entryName });
  const after = editConfig(format, found, { section, name: entryName, entry });
  return { after, previous, hasSection, isThere: isDeepStrictEqual(asJson(previous), asJson(entry)) };
}

/** As the parsers of both formats would give it. */
const asJson = (value: unknown): unknown => (value === undefined ? undefined : JSON.parse(JSON.stringify(value, bigIntAsText)));
const bigIntAsText = (_: string, value: unknown) => (typeof value === "bigint" ? String(value) : value);

interface Writing {
  readonly found: ClientFile;
  readonly entry: Members;
  readonly scope: ClientScope;
  readonly state: string;
}

/** Clients write these files themselves: what came in since the person looked stays, and only another entry of ours stops this. */
function write(client: McpClient, { found, entry, scope, state }: Writing): string | undefined {
  const now = readClientFile(found.file);
  const seen = planInstall(client, found, entry);
  const plan = planInstall(client, now, entry);
  if (!isDeepStrictEqual(asJson(plan.previous), asJson(seen.previous)))
    throw new CliError(`The entry "${entryName}" of ${found.file} changed meanwhile. Nothing was written; try again.`);
  const records = openInstallRecords(state);
  const earlier = records.read(found.file);
  const { copy, forget } = keepingState(state, () => {
    const copy = now.bytes === undefined ? undefined : records.keepCopy(found.file, now.bytes);
    const way = wayBack(earlier, now, { copy, previous: asJson(plan.previous), madeSection: !plan.hasSection });
    records.write({ version: 1, client: client.name, scope, file: found.file, name: entryName, written: sha256(plan.after), ...way });
    return { copy, forget: () => (earlier === undefined ? records.remove(found.file) : records.write(earlier)) };
  });
  try {
    writeClientFile(found, plan.after);
  } catch (error) {
    forget();
    throw error;
  }
  return copy;
}

/** Without a copy and a record there would be no way back, so they come first. */
function keepingState<Result>(state: string, work: () => Result): Result {
  try {
    return work();
  } catch (cause) {
    throw new CliError(
      `No copy could be kept in ${state}: ${(cause as Error).message}. Nothing was written; name another state folder with TOOLWRIGHT_STATE.`,
      { exitCode: exitCodes.unavailable, cause },
    );
  }
}

type WayBack = Pick<InstallRecord, "copy" | "previous" | "madeFile" | "madeSection">;

/** To before the first installation. Where others wrote the file since then, only our entry can be taken out of it. */
function wayBack(
  earlier: InstallRecord | undefined,
  { bytes }: Pick<ClientFile, "bytes">,
  { copy, previous, madeSection }: Pick<WayBack, "copy" | "previous" | "madeSection">,
): WayBack {
  if (earlier === undefined || bytes === undefined)
    return { ...(copy !== undefined && { copy }), ...(previous !== undefined && { previous }), madeFile: bytes === undefined, madeSection };
  const { copy: first, previous: before, madeFile, madeSection: made } = earlier;
  const isUntouched = earlier.written === sha256(bytes);
  return {
    ...(isUntouched && first !== undefined && { copy: first }),
    ...(before !== undefined && { previous: before }),
    madeFile: isUntouched && madeFile,
    madeSection: made,
  };
}

interface Told {
  readonly client: McpClient;
  readonly scope: ClientScope;
  readonly file: string;
  readonly chosen: ChosenConnection;
  readonly entry: Members;
}

interface Outcome extends Told {
  readonly written: boolean;
  readonly copy?: string | undefined;
  readonly words: string;
}

function tell(io: Io, { json }: AskingOptions, { client, scope, file, chosen, entry, written, copy, words }: Outcome): number {
  const { connection, notes } = chosen;
  if (json) {
    const record = { client: client.name, scope, file, section: client.section, name: entryName, transport: connection.transport, entry };
    io.out(`${JSON.stringify({ ...record, written, copy: copy ?? null, notes }, null, 2)}\n`);
    return exitCodes.done;
  }
  io.out(`${visibleText(words)}\n`);
  for (const note of notes) io.err(`${visibleText(note)}\n`);
  return exitCodes.done;
}
