import type { PolicyDifference } from "@toolwright/engine/policy";
import type { PolicyVersion } from "@toolwright/engine/ports";
import { readTenantPolicy } from "@toolwright/server/policy-file";
import { count, oneLine } from "@toolwright/server/text";
import { CliError } from "../../cli-error.ts";
import { exitCodes } from "../../exit-code.ts";
import type { Io } from "../../io.ts";
import { inTenant } from "../../output/in-tenant.ts";
import { renderTable } from "../../output/table.ts";
import { asPerson } from "../context/as-person.ts";
import type { Operate } from "../context/operate.ts";
import type { RemoteOptions } from "../context/operate-remotely.ts";
import type { TenantOptions } from "../context/with-store.ts";

type PolicyOptions = TenantOptions & RemoteOptions;

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

export function versions(io: Io, options: PolicyOptions & { readonly limit?: string }): Promise<number> {
  const limit = options.limit === undefined ? undefined : readRevision("--limit", options.limit);
  return asPerson(io, { ...options, callsNothing: true }, async ({ operate, tenant }) => {
    const { items: found } = await operate("policy.versions", { limit });
    if (options.json) io.out(`${JSON.stringify(found, null, 2)}\n`);
    else if (found.length === 0)
      io.out(
        `${tenant ?? "The tenant"} has no policy of its own. Make one with: toolwright policy put policy.yaml${tenant === undefined ? "" : inTenant(tenant)} --note TEXT\n`,
      );
    else {
      const rows = found.map(({ revision, at, author, note }) => [String(revision), new Date(at).toISOString(), author.id, note]);
      io.out(`${renderTable(["revision", "when", "who", "why"], rows)}\n`);
    }
    return exitCodes.done;
  });
}

/** Without revisions: what the newest says differently from the one before it. */
export function diff(io: Io, options: PolicyOptions, [from, to]: readonly string[]): Promise<number> {
  return asPerson(io, { ...options, callsNothing: true }, async ({ operate }) => {
    const newest = (await operate("policy.current", {})).revision;
    const later = to === undefined ? newest : readRevision("The second revision", to);
    const earlier = from === undefined ? Math.max(0, later - 1) : readRevision("The first revision", from);
    const { items: found } = await operate("policy.diff", { from: earlier, to: later });
    if (options.json) io.out(`${JSON.stringify({ from: earlier, to: later, differences: found }, null, 2)}\n`);
    else
      io.out(
        [...found.flatMap(describe), `From revision ${earlier} to ${later}: ${count(found.length, "difference")}.`]
          .map((line) => `${line}\n`)
          .join(""),
      );
    return exitCodes.done;
  });
}

function describe({ path, before, after }: PolicyDifference): readonly string[] {
  return [
    ...(before === undefined ? [] : [`- ${oneLine(path)}: ${oneLine(JSON.stringify(before))}`]),
    ...(after === undefined ? [] : [`+ ${oneLine(path)}: ${oneLine(JSON.stringify(after))}`]),
  ];
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
