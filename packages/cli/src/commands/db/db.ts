import { existsSync } from "node:fs";
import { dirname, isAbsolute, join } from "node:path";
import { ToolwrightError } from "@toolwright/engine";
import { describeSystemError, readLines } from "@toolwright/server/text";
import { CliError } from "../../cli-error.ts";
import { exitCodes } from "../../exit-code.ts";
import type { Io } from "../../io.ts";
import { exitCodeOfError } from "../../output/describe-error.ts";
import type { CommonOptions } from "../../settings.ts";
import { withMaintenance } from "../context/with-maintenance.ts";
import { openBackupFile, type WriteLine } from "./db-backup-file.ts";

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
  return withMaintenance(io, options, async (store, { place }) => {
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
