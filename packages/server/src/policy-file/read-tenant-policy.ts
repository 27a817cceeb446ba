import type { JsonObject } from "@toolwright/engine";
import { PolicyFileError } from "./load-policy-file.ts";
import { readDocument } from "./read-document.ts";

/**
 * The document of a tenant's policy in a YAML or JSON file, not validated yet. Rejects with SettingsError for one that cannot be
 * read, else with PolicyFileError: every place and what is wrong there.
 */
export async function readTenantPolicy(file: string, { cwd }: { readonly cwd: string }): Promise<JsonObject> {
  const { path, shown, value, problems } = await readDocument(file, { cwd, what: "The policy" });
  if (problems.length > 0) throw new PolicyFileError(shown, problems, [path]);
  // What is no object at all, the schema refuses.
  return (value ?? undefined) as JsonObject;
}
