import { readFile, writeFile } from "node:fs/promises";
import { resolve } from "node:path";
import { ToolwrightError } from "@toolwright/engine";
import { sessionOwner } from "@toolwright/engine/operations";
import { type Anchor, anchorHeads, parseAnchor, type SessionReport, type SessionStore } from "@toolwright/engine/ports";
import { localTenant } from "@toolwright/server/local";
import { count as counted, describeSystemError, jsonLine, oneLine } from "@toolwright/server/text";
import { cliPrincipal } from "../../caller.ts";
import { CliError } from "../../cli-error.ts";
import { exitCodes } from "../../exit-code.ts";
import type { Io } from "../../io.ts";
import type { RemoteOptions } from "../context/operate-remotely.ts";
import { withOperations } from "../context/with-operations.ts";
import { type TenantOptions, withStore } from "../context/with-store.ts";
import { verifyFile } from "./verify-file.ts";

const missingSession = (session: string) => new CliError(`There is no session "${oneLine(session)}" in the log.`);

interface Naming {
  readonly io: Io;
  readonly tenant: string;
  readonly sessions: Pick<SessionStore, "named">;
}

/** The id of a session: a name is one that the person at this command line gave, anything else is an id already. */
async function idOf(session: string | undefined, { io, tenant, sessions }: Naming): Promise<string | undefined> {
  if (session === undefined) return undefined;
  return (await sessions.named({ tenant, owner: sessionOwner(cliPrincipal(io)), name: session })) ?? session;
}

interface VerifyCommandOptions extends TenantOptions, RemoteOptions {
  readonly session?: string;
  readonly all?: boolean;
  readonly anchor?: string;
}

/** Exit code 1 when something was found. */
export async function verify(io: Io, options: VerifyCommandOptions, [file]: readonly string[] = []): Promise<number> {
  const { session, all = false, json = false } = options;
  if (file !== undefined) {
    if (options.tenant !== undefined) throw new CliError("--tenant is for the store; a file holds the events of one tenant.");
    const anchor = options.anchor === undefined ? undefined : await readAnchor(io, options.anchor);
    return verifyFile(io, file, { session, anchor, json });
  }
  if ((session === undefined) !== all)
    throw new CliError("Name what to verify: --session <name>, --all, or a file that toolwright log export wrote.");
  if (options.server !== undefined) return verifyThere(io, options);
  return withStore(io, options, async ({ log, sessions }) => {
    const anchor = options.anchor === undefined ? undefined : await readAnchor(io, options.anchor);
    const tenant = options.tenant ?? (all ? undefined : localTenant);
    const count = { sessions: 0, events: 0, faults: 0 };
    const wanted = await idOf(session, { io, tenant: tenant ?? localTenant, sessions });
    for await (const report of log.verify({ tenant, session: wanted, anchor })) {
      count.sessions += 1;
      count.events += report.events;
      count.faults += report.faults.length;
      tellReport(io, report, json);
    }
    if (count.sessions === 0 && session !== undefined) throw missingSession(session);
    return tellSum(io, count, { json, hasAnchor: anchor !== undefined });
  });
}

async function verifyThere(io: Io, options: VerifyCommandOptions): Promise<number> {
  const { session, all, anchor, json = false } = options;
  if (session === undefined || all || anchor !== undefined)
    throw new CliError(
      "With --server, one session of the key's tenant is verified: name it with --session, and leave --all and --anchor out.",
    );
  return withOperations(io, options, async (operate) => {
    const report = await operate("events.verify", { session }).catch((cause: unknown) => {
      if (!ToolwrightError.is(cause) || cause.code !== "session_not_found") throw cause;
      throw missingSession(session);
    });
    tellReport(io, report, json);
    return tellSum(io, { sessions: 1, events: report.events, faults: report.faults.length }, { json, hasAnchor: false });
  });
}

function tellSum(
  io: Io,
  sum: { readonly sessions: number; readonly events: number; readonly faults: number },
  { json, hasAnchor }: { readonly json: boolean; readonly hasAnchor: boolean },
): number {
  const { sessions, events, faults } = sum;
  if (json) io.out(`${jsonLine(sum)}\n`);
  else io.out(`${counted(sessions, "session")}, ${counted(events, "event")}: ${faults === 0 ? "whole" : counted(faults, "fault")}.\n`);
  if (!hasAnchor && !json)
    io.err("Without --anchor, a log whose end was cut and covered up looks whole. Make one with: toolwright log anchor\n");
  return faults === 0 ? exitCodes.done : exitCodes.failed;
}

function tellReport(io: Io, report: SessionReport, json: boolean): void {
  const { tenant, session, faults, removed } = report;
  if (json) {
    if (faults.length > 0 || removed) io.out(`${jsonLine(report)}\n`);
    return;
  }
  const place = oneLine(tenant === localTenant ? session : `${tenant}/${session}`);
  if (removed) io.out(`${place}: events 1 to ${removed.through} were removed by retention at ${new Date(removed.at).toISOString()}.\n`);
  for (const { kind, sequence, message } of faults) io.out(`${place} #${sequence} ${kind}: ${message}\n`);
}

async function readAnchor({ cwd }: Pick<Io, "cwd">, file: string): Promise<Anchor> {
  let text: string;
  try {
    text = await readFile(resolve(cwd, file), "utf8");
  } catch (error) {
    throw new CliError(`The anchor ${file} cannot be read: ${describeSystemError(error)}.`, { cause: error });
  }
  return parseAnchor(text);
}

/** Never overwrites: an older anchor shows more. */
export function anchor(io: Io, options: TenantOptions, [file = ""]: readonly string[]): Promise<number> {
  return withStore(io, options, async ({ log }) => {
    const made = await anchorHeads(log, { at: Date.now(), tenant: options.tenant });
    try {
      await writeFile(resolve(io.cwd, file), `${JSON.stringify(made)}\n`, { flag: "wx", mode: 0o600 });
    } catch (error) {
      throw new CliError(
        `The anchor ${file} cannot be written: ${describeSystemError(error)}. Name a new file in a folder that is there.`,
        { cause: error },
      );
    }
    if (options.json) io.out(`${jsonLine({ file, sessions: made.heads.length, digest: made.digest })}\n`);
    else
      io.out(
        `Wrote ${made.heads.length} heads to ${file}. Keep it where the owner of the database cannot write.\nDigest: ${made.digest}\n`,
      );
    return exitCodes.done;
  });
}
