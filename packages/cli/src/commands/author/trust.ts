import { existsSync, realpathSync } from "node:fs";
import { relative, resolve } from "node:path";
import { visibleText } from "@toolwright/engine/ports";
import { refuseInWorkspace } from "@toolwright/server/settings";
import { count, describeSystemError, oneLine } from "@toolwright/server/text";
import { findToolFiles, isInPackage, packageOf } from "@toolwright/server/tool-folder";
import { type CodeSurvey, isMade, openTrustRecords, surveyCode, type TrustRecord, type TrustRecords } from "@toolwright/server/trust";
import { CliError } from "../../cli-error.ts";
import { exitCodes } from "../../exit-code.ts";
import type { Io } from "../../io.ts";
import { renderTable } from "../../output/table.ts";
import { type CommonOptions, readSettings } from "../../settings.ts";

export interface TrustOptions extends CommonOptions {
  readonly list?: boolean;
  readonly remove?: boolean;
}

/** Records that the code of a folder may run, as it is now; nothing of it is executed here. */
export async function trust(io: Io, options: TrustOptions, [given]: readonly string[]): Promise<number> {
  const settings = readSettings(given === undefined ? options : { ...options, tools: given }, io);
  const records = openTrustRecords(settings.state);
  if (options.list) return listTrusted(io, options, records);
  const tools = settings.tools ?? resolve(io.cwd, "tools");
  const folder = existsSync(tools) ? realpathSync(tools) : tools;
  if (options.remove) return removeTrust(io, options, { folder, records });
  const files = await findToolFiles(folder).catch((cause: unknown) => {
    throw new CliError(`${folder} cannot be read: ${describeSystemError(cause)}.`, { cause });
  });
  if (files.length === 0) throw new CliError(`There is no *.tool.ts in ${folder}, so there is nothing to trust.`);
  const record = records.read(folder);
  if (isMade(folder, record)) {
    io.out(
      options.json ? `${JSON.stringify(toJson(record), null, 2)}\n` : `All of ${visibleText(folder)} loads already: toolwright made it.\n`,
    );
    return exitCodes.done;
  }
  const survey = surveyCode(folder, files);
  for (const path of survey.keys()) refuseInWorkspace(path, { what: "module", places: settings, remedy: "--tools" });
  records.write({ folder, files: Object.fromEntries(survey) });
  io.out(options.json ? `${JSON.stringify(toJson(records.read(folder)), null, 2)}\n` : describe(folder, files, survey));
  return exitCodes.done;
}

function describe(folder: string, files: readonly string[], survey: CodeSurvey): string {
  const imported = [...survey.keys()].filter((path) => !isInPackage(path)).map((path) => relative(folder, path));
  const packages = new Set([...survey.keys()].filter(isInPackage).map((path) => relative(folder, packageOf(path))));
  const lines = [
    `Trusted ${folder}, as it is now:`,
    ...files.map((file) => `  ${file}`),
    ...imported.filter((file) => !files.includes(file)).map((file) => `  ${file}, which they import`),
    ...[...packages].map((name) => `  package ${name}, which they import`),
    "A file that changes is left out until you trust it again. To stop: toolwright trust --remove",
  ];
  return `${lines.map(oneLine).join("\n")}\n`;
}

function listTrusted(io: Io, { json }: TrustOptions, records: TrustRecords): number {
  const all = records.list();
  if (json) io.out(`${JSON.stringify(all.map(toJson), null, 2)}\n`);
  else if (all.length === 0) io.out("No folder of tools is trusted.\n");
  else {
    const rows = all.map(({ folder, at, made, files }) => [
      visibleText(folder),
      `${at.slice(0, 16).replace("T", " ")}Z`,
      made ? "made by toolwright, with all that is put there" : `${count(Object.keys(files).length, "file")} as trusted`,
    ]);
    io.out(`${renderTable(["folder", "since", "what"], rows, io.columns)}\n`);
  }
  return exitCodes.done;
}

function removeTrust(
  io: Io,
  { json }: TrustOptions,
  { folder, records }: { readonly folder: string; readonly records: TrustRecords },
): number {
  if (!records.remove(folder)) throw new CliError(`${folder} is not trusted. See what is with: toolwright trust --list`);
  io.out(json ? `${JSON.stringify({ removed: folder })}\n` : `${visibleText(folder)} is trusted no longer.\n`);
  return exitCodes.done;
}

const toJson = (record: TrustRecord | undefined) => record && { ...record, made: record.made !== undefined };
