import type { PolicyVersion } from "@toolwright/engine/ports";
import { readTenantPolicy } from "@toolwright/server/policy-file";
import { oneLine } from "@toolwright/server/text";
import { CliError } from "../../cli-error.ts";
import { exitCodes } from "../../exit-code.ts";
import type { Io } from "../../io.ts";
import { asPerson } from "../context/as-person.ts";
import type { Operate } from "../context/operate.ts";
import type { RemoteOptions } from "../context/operate-remotely.ts";
import type { TenantOptions } from "../context/with-store.ts";

export interface PolicyChangeOptions extends TenantOptions, RemoteOptions {
  readonly note?: string;
  readonly revision?: string;
}

/** Puts a file in force as the policy of a tenant. */
export async function put(io: Io, options: PolicyChangeOptions, [file = ""]: readonly string[]): Promise<number> {
  const document = await readTenantPolicy(file, io);
  return changing(io, options, async (operate, { read, note }) => {
    if (note === undefined) throw new CliError("Say why with --note TEXT.");
    return operate("policy.put", { document, read, note });
  });
}

/** Puts an earlier revision in force again, as a new one. */
export function revert(io: Io, options: PolicyChangeOptions, [revision = ""]: readonly string[]): Promise<number> {
  const wanted = readRevision("The revision", revision);
  return changing(io, options, (operate, { read, note = `Revert to revision ${wanted}` }) =>
    operate("policy.revert", { revision: wanted, read, note }),
  );
}

interface Change {
  readonly read: number;
  readonly note: string | undefined;
}

/** Without --revision, what is in force now counts as read. */
function changing(
  io: Io,
  options: PolicyChangeOptions,
  change: (operate: Operate, change: Change) => Promise<PolicyVersion>,
): Promise<number> {
  const { note, revision } = options;
  const named = revision === undefined ? undefined : readRevision("--revision", revision);
  return asPerson(io, { ...options, callsNothing: true }, async ({ operate }) => {
    const read = named ?? (await operate("policy.current", {})).revision;
    const version = await change(operate, { read, note });
    io.out(
      options.json
        ? `${JSON.stringify(version, null, 2)}\n`
        : `The policy of ${version.tenant} is at revision ${version.revision}: ${oneLine(version.note)}\n`,
    );
    return exitCodes.done;
  });
}

function readRevision(what: string, text: string): number {
  if (/^\d{1,9}$/.test(text)) return Number(text);
  throw new CliError(`${what} ${JSON.stringify(text)} is not a whole number. See the revisions with: toolwright policy versions`);
}
