import { CliError } from "../../cli-error.ts";
import type { Io } from "../../io.ts";
import type { LoadedPolicy } from "../../policy-file/load-policy-file.ts";
import { readPolicy } from "../../policy-file/read-policy.ts";
import { type CommonOptions, readSettings, type Settings } from "../../settings.ts";

/** The policy that a command is about: the named file, else the one that would be in force. */
export async function readNamedPolicy(
  io: Io,
  options: CommonOptions,
  file: string | undefined,
): Promise<{ readonly policy: LoadedPolicy; readonly settings: Settings }> {
  const settings = readSettings(file === undefined ? options : { ...options, policy: file }, io);
  if (settings.policyFile === undefined)
    throw new CliError("No policy file is named and none is in force. Name one: toolwright policy check policy.yaml");
  return { policy: await readPolicy(settings, io), settings };
}
