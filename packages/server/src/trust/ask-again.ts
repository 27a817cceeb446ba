import { existsSync, realpathSync } from "node:fs";
import { relative } from "node:path";
import { visibleText } from "@toolwright/engine/ports";
import type { ServerIo } from "../io.ts";
import { findToolFiles } from "../tool-folder/find-tool-files.ts";
import { isInPackage, packageOf } from "../tool-folder/module-hooks.ts";
import { namesOf } from "./folder-trust.ts";
import { type CodeSurvey, surveyCode } from "./survey-code.ts";
import type { TrustRecord, TrustRecords } from "./trust-records.ts";

/** Asks a person at a terminal whether what changed in a folder that they trusted is to be trusted as well. */
export async function askAgain(tools: string, records: TrustRecords, io: ServerIo): Promise<void> {
  if (!io.isInteractive || !existsSync(tools)) return;
  const folder = realpathSync(tools);
  const record = records.read(folder);
  if (record === undefined || record.made) return;
  const survey = await surveyNow(folder, io);
  const changed = survey ? changedSince(folder, record, survey) : [];
  if (survey === undefined || changed.length === 0) return;
  io.err(`These files of ${visibleText(tools)} changed or came since you trusted it: ${namesOf(changed)}.\n`);
  const answer = (await io.ask("Trust them? [y/N] "))?.trim().toLowerCase();
  if (answer === "y" || answer === "yes") records.write({ folder, files: Object.fromEntries(survey) });
}

/** Undefined, and told, where it cannot be read: then what changed is left out. */
async function surveyNow(folder: string, io: Pick<ServerIo, "err">): Promise<CodeSurvey | undefined> {
  try {
    return surveyCode(folder, await findToolFiles(folder));
  } catch (error) {
    io.err(`${visibleText(error instanceof Error ? error.message : String(error))}\n`);
    return undefined;
  }
}

/** Files relative to the folder, and packages by theirs. */
function changedSince(folder: string, { files }: TrustRecord, survey: CodeSurvey): readonly string[] {
  const known = new Map(Object.entries(files));
  const changed = [...survey]
    .filter(([path, sha]) => known.get(path) !== sha)
    .map(([path]) => (isInPackage(path) ? packageOf(path) : path));
  return [...new Set(changed)].map((path) => relative(folder, path)).sort();
}
