import { existsSync } from "node:fs";
import { dirname, isAbsolute, join } from "node:path";
import { ToolwrightError } from "@toolwright/engine";
import { visibleText } from "@toolwright/engine/ports";
import type { Maintenance } from "@toolwright/postgres";
import { openStateMaintenance } from "@toolwright/server/store";
import { count, describeSystemError, openLogger, readLines } from "@toolwright/server/text";
import { CliError } from "../../cli-error.ts";
import { exitCodes } from "../../exit-code.ts";
import type { Io } from "../../io.ts";
import { exitCodeOfError } from "../../output/describe-error.ts";
import { type CommonOptions, readSettings } from "../../settings.ts";
import { openBackupFile, type WriteLine } from "./db-backup-file.ts";

export async function withMaintenance(
  io: Io,
  options: CommonOptions,
  use: (store: Maintenance, place: string) => Promise<number>,
): Promise<number> {
  const settings = readSettings(options, io);
  const store = await openStateMaintenance(settings, { command: "db" }, await openLogger(io));
  try {
    return await use(store, settings.databaseUrl === undefined ? settings.state : placeOf(settings.databaseUrl));
  } finally {
    await store.close();
  }
}

/** A URL without its password. */
function placeOf(url: string): string {
  const place = new URL(url);
  place.password = "";
  return place.href;
}

/** Says what the store is and whether it fits this version; changes nothing. Exit code 1 when it does not fit. */
export function status(io: Io, options: CommonOptions): Promise<number> {
  return withMaintenance(io, options, async (store, place) => {
    const { applied, pending, unknown, changed } = await store.readMigrations();
    const facts = await store.describe();
    const fits = pending.length === 0 && changed.length === 0 && !unknown.some(({ breaking }) => breaking);
    const names = (some: readonly { readonly name: string }[]) => some.map(({ name }) => name);
    if (options.json) {
      const migrations = { applied: names(applied), pending: names(pending), unknown: names(unknown), changed };
      io.out(`${JSON.stringify({ kind: store.kind, place, ...facts, fits, migrations }, null, 2)}\n`);
      return fits ? exitCodes.done : exitCodes.failed;
    }
    const kind = store.kind === "embedded" ? "embedded PostgreSQL" : "PostgreSQL server";
    io.out(
      [
        `${kind} ${facts.version} at ${place}`,
        ...(Math.abs(facts.clockGapMs) < 2_000 ? [] : [describeGap(facts.clockGapMs)]),
        `  size        ${(facts.bytes / 1024 / 1024).toFixed(1)} MB`,
        `  migrations  ${applied.length} applied${pending.length > 0 ? `, ${pending.length} to come: ${names(pending).join(", ")}` : ""}`,
        ...(unknown.length > 0 ? [`  unknown     ${names(unknown).join(", ")} (of a newer version)`] : []),
        ...(changed.length > 0 ? [`  changed     ${changed.join(", ")} (applied with another text)`] : []),
        fits ? "It fits this version." : "It does not fit this version. Bring it there with: toolwright db migrate",
        "",
      ].join("\n"),
    );
    return fits ? exitCodes.done : exitCodes.failed;
  });
}

function describeGap(ms: number): string {
  return `  clock       this machine's is ${Math.abs(ms) / 1_000} s ${ms > 0 ? "ahead of" : "behind"} the store's; the store's counts`;
}

export function migrateStore(io: Io, options: CommonOptions & { readonly breaking?: boolean }): Promise<number> {
  return withMaintenance(io, options, async (store) => {
    const applied = await store.migrate({ breaking: options.breaking === true });
    if (options.json) io.out(`${JSON.stringify({ applied })}\n`);
    else io.out(applied.length === 0 ? "There was nothing to do.\n" : `Applied ${applied.join(", ")}.\n`);
    return exitCodes.done;
  });
}

export async function backup(io: Io, options: CommonOptions, [file = ""]: readonly string[]): Promise<number> {
  if (file === "") throw new CliError("The file of the backup has no name. Name one: toolwright db backup all.gz");
  const path = pathOf(file, io);
  if (existsSync(path)) throw new CliError(`There is already a file ${file}. Choose another name; a backup overwrites nothing.`);
  const target = await openBackupFile(path);
  try {
    return await withMaintenance(io, options, async (store) => {
      io.standBack?.();
      const { result: counts, bytes } = await target.write((write) =>
        store.backup({ elsewhere: dirname(path), write: untilStopped(io, file, write) }),
      );
      if (options.json) io.out(`${JSON.stringify({ file, bytes, ...counts })}\n`);
      else
        io.out(
          `Wrote ${counts.rows} rows of ${counts.tables} tables to ${file} (${(bytes / 1024 / 1024).toFixed(1)} MB). Secrets in it are encrypted; keep the master key apart from it.\n`,
        );
      return exitCodes.done;
    });
  } finally {
    await target.dispose();
  }
}

/** A slash at the end stays: it says that a folder is meant. */
const pathOf = (file: string, { cwd }: Pick<Io, "cwd">) => (isAbsolute(file) ? file : join(cwd, file));

function untilStopped({ signal }: Pick<Io, "signal">, file: string, write: WriteLine): WriteLine {
  return (lines) => {
    if (signal.aborted) throw new CliError(`The backup was stopped; ${file} was not written.`, { exitCode: exitCodes.cancelled });
    return write(lines);
  };
}

export function restore(io: Io, options: CommonOptions, [file = ""]: readonly string[]): Promise<number> {
  const path = pathOf(file, io);
  if (!existsSync(path)) throw new CliError(`There is no file ${file}.`);
  return withMaintenance(io, options, async (store, place) => {
    const counts = await store.restore(readBackup(path, file)).catch(refuseFile(file));
    if (options.json) io.out(`${JSON.stringify({ file, place, ...counts })}\n`);
    else io.out(`Restored ${counts.rows} rows of ${counts.tables} tables into ${place}. Check it with: toolwright db verify\n`);
    return exitCodes.done;
  });
}

/** What cannot be restored is told with its file; nothing of it was written. */
function refuseFile(file: string): (error: unknown) => never {
  return (error) => {
    if (!ToolwrightError.is(error)) throw error;
    throw new CliError(`${file} was not restored, and nothing was written. ${error.message}`, {
      exitCode: exitCodeOfError(error),
      cause: error,
    });
  };
}

async function* readBackup(path: string, file: string): AsyncGenerator<string> {
  try {
    yield* readLines(path);
  } catch (cause) {
    throw new CliError(`The backup ${file} cannot be read: ${describeSystemError(cause)}. Nothing was written.`, { cause });
  }
}

/** Refuses a store that lacks migrations; resolves with those that were applied with another text. */
export async function requireVersion(store: Maintenance): Promise<readonly string[]> {
  const { pending, changed } = await store.readMigrations();
  if (pending.length > 0)
    throw new CliError(
      `The store lacks ${pending.map(({ name }) => name).join(", ")}. Bring it to this version first: toolwright db migrate`,
    );
  return changed;
}

/** Looks at everything that can be checked without changing it. Exit code 1 when something is wrong. */
export function verify(io: Io, options: CommonOptions): Promise<number> {
  return withMaintenance(io, options, async (store) => {
    const changed = await requireVersion(store);
    const unprotected = await store.findUnprotected();
    const counts = { sessions: 0, events: 0 };
    const faults: string[] = [];
    for await (const { tenant, session, events, faults: found } of store.log.verify({})) {
      counts.sessions += 1;
      counts.events += events;
      faults.push(...found.map((fault) => `session ${session} of ${tenant}: ${fault.message}`));
    }
    const problems = [
      ...changed.map((name) => `migration ${name} was applied with another text than this version has`),
      ...unprotected.map((name) => `table ${name} is open to every tenant`),
      ...faults,
    ];
    if (options.json) io.out(`${JSON.stringify({ ...counts, problems }, null, 2)}\n`);
    else
      io.out(
        `${[...problems.map(visibleText), `${count(counts.sessions, "session")} with ${count(counts.events, "event")}: ${problems.length === 0 ? "all whole." : `${count(problems.length, "problem")}.`}`].join("\n")}\n`,
      );
    return problems.length === 0 ? exitCodes.done : exitCodes.failed;
  });
}
