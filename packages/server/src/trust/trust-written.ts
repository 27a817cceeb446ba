import { realpathSync } from "node:fs";
import type { Settings } from "../settings.ts";
import { surveyCode } from "./survey-code.ts";
import { isMade, openTrustRecords } from "./trust-records.ts";

/**
 * Trusts a file that this program wrote itself, as it wrote it, and nothing else of its folder. True when its changes are trusted as well,
 * because toolwright made the folder.
 */
export function trustWritten(file: string, { folder, state }: Pick<Settings, "state"> & { readonly folder: string }): boolean {
  const records = openTrustRecords(state);
  const root = realpathSync(folder);
  const record = records.read(root);
  if (isMade(root, record)) return true;
  const written = Object.fromEntries(surveyCode(root, [realpathSync(file).slice(root.length + 1)]));
  records.write({ folder: root, files: { ...record?.files, ...written } });
  return false;
}
