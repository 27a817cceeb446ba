import { randomUUID } from "node:crypto";
import { type FileHandle, open, rename, rm, stat } from "node:fs/promises";
import type { Writable } from "node:stream";
import { finished } from "node:stream/promises";
import { constants, createGzip } from "node:zlib";
import { describeSystemError } from "@toolwright/server/text";
import { CliError } from "../../cli-error.ts";
import { exitCodes } from "../../exit-code.ts";

/** One line or several, each with its end. */
export type WriteLine = (lines: string) => Promise<void>;

export interface BackupFile {
  /** Resolves when all of it is at its place, with its size in bytes. */
  write<Result>(produce: (write: WriteLine) => Promise<Result>): Promise<{ readonly result: Result; readonly bytes: number }>;
  /** Leaves nothing of one that was not finished. */
  dispose(): Promise<void>;
}

/**
 * Written beside and renamed, for its owner alone: a backup that was interrupted leaves no file that looks whole. It is begun before anything
 * is read, so that a place where nothing can be written is told at once.
 */
export async function openBackupFile(path: string): Promise<BackupFile> {
  // Two backups of one file must not share it.
  const beside = `${path}.${randomUUID()}.part`;
  const file = await open(beside, "wx", 0o600).catch((error: unknown) => {
    throw cannotWrite(path, error, exitCodes.usage);
  });
  return {
    async write(produce) {
      const result = await writeLines(file, path, produce);
      await rename(beside, path);
      return { result, bytes: (await stat(path)).size };
    },
    async dispose() {
      await file.close();
      await rm(beside, { force: true });
    },
  };
}

async function writeLines<Result>(handle: FileHandle, path: string, produce: (write: WriteLine) => Promise<Result>): Promise<Result> {
  const file = handle.createWriteStream();
  // It is there to be made fast and beside calls: a better compression takes as long again as all the rest.
  const target: Writable = path.endsWith(".gz") ? createGzip({ level: constants.Z_BEST_SPEED }) : file;
  if (target !== file) target.pipe(file);
  const failed = finished(file).catch((error: unknown) => {
    throw cannotWrite(path, error, exitCodes.unavailable);
  });
  // Told by whatever is written next.
  failed.catch(() => undefined);
  try {
    const result = await produce(async (line) => {
      if (!target.write(line)) await Promise.race([new Promise((resolve) => target.once("drain", resolve)), failed]);
    });
    target.end();
    await failed;
    return result;
  } finally {
    // The file is not closed before its stream is.
    file.destroy();
  }
}

function cannotWrite(path: string, error: unknown, exitCode: typeof exitCodes.usage | typeof exitCodes.unavailable): CliError {
  const words = describeSystemError(error);
  return new CliError(
    `The backup ${path} cannot be written: ${words}. Name a file in a folder that is there, that this user may write to and that has room.`,
    {
      exitCode,
      cause: error,
    },
  );
}
