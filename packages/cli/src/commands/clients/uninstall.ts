import { existsSync, readFileSync, realpathSync, rmSync } from "node:fs";
import { visibleText } from "@toolwright/engine/ports";
import { CliError } from "../../cli-error.ts";
import { clientHooks } from "../../client-config/client-hooks.ts";
import { isMembers } from "../../client-config/config-format.ts";
import { describeChange } from "../../client-config/describe-change.ts";
import { editConfig, readEntry } from "../../client-config/edit-config.ts";
import { type InstallRecord, openInstallRecords, sha256 } from "../../client-config/install-records.ts";
import type { ClientEnvironment, ClientScope, McpClient } from "../../client-config/mcp-clients.ts";
import { exitCodes } from "../../exit-code.ts";
import type { Io } from "../../io.ts";
import { type CommonOptions, readSettings } from "../../settings.ts";
import {
  type AskingOptions,
  type ClientFile,
  clientEnvironment,
  findClient,
  mayWrite,
  readClientFile,
  readClientScope,
  removeClientFile,
  writeClientFile,
} from "./client-file.ts";
import { uninstallHooks } from "./install-hooks.ts";

type UninstallOptions = CommonOptions & AskingOptions;

/** Takes back what install wrote, and nothing else. */
export async function uninstall(io: Io, options: UninstallOptions, [name = ""]: readonly string[]): Promise<number> {
  const client = findClient(name);
  const hooks = clientHooks.get(client.name);
  if (hooks) await uninstallHooks(io, options, { hooks, scope: readClientScope(options.scope) ?? "user", title: client.title });
  const { state } = readSettings(options, io);
  const records = openInstallRecords(state);
  const record = findRecord(client, {
    place: clientEnvironment(io),
    scope: readClientScope(options.scope),
    records: records.list(client.name),
  });
  const found = readClientFile(record.file);
  const after = takeBack(client, found, record);
  const shown = describeChange(record.file, found.text, after?.toString() ?? "");
  const removed = { client: client.name, scope: record.scope, file: record.file };
  if (options.print) {
    io.out(options.json ? `${JSON.stringify({ ...removed, written: false }, null, 2)}\n` : `${shown}\n`);
    return exitCodes.done;
  }
  const isSame = found.bytes === undefined || after?.equals(found.bytes) === true;
  if (!isSame && !(await mayWrite(io, options, { shown, question: `Take this back from ${client.title}?` }))) return exitCodes.cancelled;
  if (!isSame) writeBack(client, record);
  records.remove(record.file);
  if (record.copy !== undefined) rmSync(record.copy, { force: true });
  io.out(
    options.json ? `${JSON.stringify({ removed }, null, 2)}\n` : `${client.title} is no longer connected by ${visibleText(record.file)}.\n`,
  );
  return exitCodes.done;
}

interface Search {
  readonly place: ClientEnvironment;
  readonly scope: ClientScope | undefined;
  readonly records: readonly InstallRecord[];
}

/** The record of what was installed for the user, or for the project in the current folder. */
function findRecord(client: McpClient, { place, scope, records }: Search): InstallRecord {
  const realOf = (file: string) => (existsSync(file) ? realpathSync(file) : file);
  const ours = (scope === undefined ? (["user", "project"] as const) : [scope]).flatMap((each) => {
    const files = client.files(each, place).map(realOf);
    return records.filter((record) => record.scope === each && files.includes(record.file));
  });
  const [record] = ours;
  if (record) return record;
  const elsewhere = records.map(({ file }) => file);
  const hint = elsewhere.length > 0 ? ` It was installed in ${elsewhere.join(", ")}.` : "";
  throw new CliError(
    `toolwright install ${client.name} has written nothing here${scope === undefined ? "" : ` for the scope ${scope}`}, so there is nothing to take back.${hint} Entries that were made by hand stay.`,
  );
}

/** The file as it was, where nothing else changed since; otherwise without our entry. Undefined for a file that would be empty and was ours. */
function takeBack(client: McpClient, found: ClientFile, record: InstallRecord): Buffer | undefined {
  if (found.bytes === undefined) return undefined;
  if (sha256(found.bytes) === record.written) {
    if (record.madeFile) return undefined;
    if (record.copy !== undefined && existsSync(record.copy)) return readFileSync(record.copy);
  }
  const { section, format } = client;
  const { name, previous, madeSection } = record;
  if (readEntry(format, found, { section, name }).entry === undefined) return found.bytes;
  const entry = isMembers(previous) ? previous : undefined;
  return Buffer.from(editConfig(format, found, { section, name, entry, dropEmpty: madeSection }));
}

/** From the file as it is now: the client may have written it while the person looked. */
function writeBack(client: McpClient, record: InstallRecord): void {
  const now = readClientFile(record.file);
  const content = takeBack(client, now, record);
  if (content === undefined) removeClientFile(now);
  else writeClientFile(now, content);
}
