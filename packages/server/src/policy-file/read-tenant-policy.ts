import { relative, resolve } from "node:path";
import type { JsonObject } from "@toolwright/engine";
import { SettingsError } from "../settings-error.ts";
import { describeSystemError } from "../text/system-words.ts";
import { PolicyFileError } from "./load-policy-file.ts";
import { readPolicyBytes } from "./read-policy-bytes.ts";

/**
 * The document of a tenant's policy in a YAML or JSON file, not validated yet. Rejects with SettingsError for one that cannot be
 * read, else with PolicyFileError: every place and what is wrong there.
 */
export async function readTenantPolicy(file: string, { cwd }: { readonly cwd: string }): Promise<JsonObject> {
  const path = resolve(cwd, file);
  const shown = relative(cwd, path).startsWith("..") ? path : relative(cwd, path);
  const fail = (text: string, place = { line: 1, column: 1 }) => new PolicyFileError(shown, [{ file: shown, ...place, text }], [path]);
  const read = await readPolicyBytes(path).catch((cause: unknown) => {
    throw new SettingsError(`The policy ${shown} cannot be read: ${describeSystemError(cause)}. Name a YAML or JSON file.`, { cause });
  });
  if (!("text" in read)) throw fail(read.problem, read.place);
  // With the parser, which most commands do without.
  const { readPolicyText } = await import("./read-policy-text.ts");
  const { value, problems } = readPolicyText(read.text, shown);
  if (problems.length > 0) throw new PolicyFileError(shown, problems, [path]);
  // What is no object at all, the schema refuses.
  return (value ?? undefined) as JsonObject;
}
