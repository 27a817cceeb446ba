import type { JsonObject } from "@toolwright/engine";
import type { ReadFiles } from "@toolwright/engine/shell";
import {
  describePosition,
  describeProblems,
  documentOf,
  type LoadedPolicy,
  PolicyFileError,
  readPolicy,
} from "@toolwright/server/policy-file";
import type { Settings } from "@toolwright/server/settings";
import { CliError } from "../cli-error.ts";
import type { TenantOptions } from "../commands/context/with-store.ts";
import { exitCodes } from "../exit-code.ts";
import type { Io } from "../io.ts";
import { type CommonOptions, readSettings } from "../settings.ts";

interface NamedPolicy {
  readonly policy: LoadedPolicy;
  readonly settings: Settings;
}

/** The policy that a command is about: the named file, else the one that would be in force; the built-in one only beside that of a named tenant. */
export async function readNamedPolicy(io: Io, options: TenantOptions, file: string | undefined): Promise<NamedPolicy> {
  const settings = readSettings(file === undefined ? options : { ...options, policy: file }, io);
  if (settings.policyFile === undefined && options.tenant === undefined)
    throw new CliError("No policy file is named and none is in force. Name one: toolwright policy check policy.yaml");
  return { policy: await readPolicy(settings, io), settings };
}

/** The members of that policy's files. */
export const readPolicyDocument = async (io: Io, options: TenantOptions, file: string | undefined): Promise<JsonObject> =>
  documentOf((await readNamedPolicy(io, options, file)).policy);

/** Where the members stand of documents that were read here. */
const readings = new WeakMap<object, ReadFiles>();

/** The file positions of the first member of `input` that is a document read here. */
export function readingOf(input: Readonly<Record<string, unknown>>): ReadFiles | undefined {
  return Object.values(input)
    .map((value) => (typeof value === "object" && value !== null ? readings.get(value) : undefined))
    .find((reading) => reading !== undefined);
}

/** The members of a policy file with what it includes: of the named one, or of the one that would be in force. */
export async function readPolicyFile(io: Io, options: CommonOptions, file: string | undefined): Promise<object> {
  return keep((await readNamedPolicy(io, options, file)).policy);
}

/** The members of a policy file whose own tests may fail; those of the built-in policy where no file would be in force. */
export async function readUntestedPolicyFile(io: Io, options: CommonOptions, file: string | undefined): Promise<object> {
  const settings = readSettings(file === undefined ? options : { ...options, policy: file }, io);
  return keep(await readPolicy(settings, io, { untested: true }));
}

function keep({ file, files, positionOf }: LoadedPolicy): object {
  const placeOf: ReadFiles["placeOf"] = (path) => {
    const place = positionOf(path);
    return place && describePosition(place);
  };
  readings.set(file, { files, placeOf });
  return file;
}

/** Runs a check of a policy. What is wrong with a policy that does not even load is its result: on stdout, with the code of a failed check. */
export async function checkingPolicy(io: Io, { json }: CommonOptions, check: () => Promise<number>): Promise<number> {
  try {
    return await check();
  } catch (error) {
    if (!(error instanceof PolicyFileError)) throw error;
    const { problems } = error;
    io.out(json ? `${JSON.stringify({ valid: false, problems }, null, 2)}\n` : `${describeProblems(problems).join("\n")}\n`);
    return exitCodes.failed;
  }
}
