import { statfsSync } from "node:fs";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { ToolwrightError } from "@toolwright/engine/errors";
import { PGliteAdapter } from "kysely";
import type { Database } from "../database/database.ts";
import { openHandles } from "../database/roles.ts";
import { copyData, nameCopy, removeLeftCopies, sizeOf } from "./copy-data.ts";
import type { EmbeddedLink } from "./embedded-link.ts";
import { createLinkDriver } from "./link-driver.ts";
import { openPglite } from "./load-pglite.ts";
import { createLocalLink } from "./local-link.ts";

const megabyte = 1024 * 1024;
/** Bytes that stay free beside a copy. */
const reservedBytes = 256 * megabyte;
/** A holder may end while its files are copied. */
const mostTries = 3;

interface DetachOptions {
  readonly folder: string;
  /** Used when the disk of the folder has no room for the copy. */
  readonly elsewhere?: string | undefined;
  find(): Promise<EmbeddedLink>;
}

/** The database of a folder as it is at one moment, in files of its own: nobody waits for it. Closing it removes it. */
export async function detachCopy({ folder, elsewhere, find }: DetachOptions): Promise<Database> {
  const data = join(folder, "data");
  const place = join(await findRoom(data, [folder, ...(elsewhere === undefined ? [] : [elsewhere])]), nameCopy());
  try {
    for (let tried = 1; ; tried += 1) {
      const pin = await (await find()).pin();
      try {
        await copyData(data, place);
      } catch (error) {
        await pin.release().catch(() => undefined);
        throw error;
      }
      const failed = await pin.release().then(
        () => undefined,
        (error: unknown) => error,
      );
      if (failed === undefined) return await openCopy(place);
      await rm(place, { recursive: true, force: true });
      if (tried === mostTries) throw failed;
    }
  } catch (error) {
    await rm(place, { recursive: true, force: true });
    if (ToolwrightError.is(error)) throw error;
    const words = error instanceof Error ? error.message : String(error);
    throw new ToolwrightError(
      "store_failed",
      `The copy ${place} of the store, from which a backup is read, could not be made. Look at its disk and try again; nothing was written. The system says: ${words}`,
      { cause: error },
    );
  }
}

async function openCopy(place: string): Promise<Database> {
  const pglite = await openPglite(place);
  const local = await createLocalLink(pglite, place);
  const link: EmbeddedLink = {
    ...local,
    pin: () => Promise.reject(new Error("This is a copy.")),
    announce: () => {},
    ended: new Promise(() => {}),
    close: async () => {},
  };
  const handles = openHandles(
    createLinkDriver(async () => link),
    new PGliteAdapter(),
  );
  const copy: Database = {
    kind: "embedded",
    ...handles,
    announce: () => {},
    listen: () => () => {},
    detach: async () => copy,
    async close() {
      await handles.owner.destroy();
      await pglite.close().catch(() => undefined);
      await rm(place, { recursive: true, force: true });
    },
  };
  return copy;
}

async function findRoom(data: string, places: readonly string[]): Promise<string> {
  const needed = (await sizeOf(data)) + reservedBytes;
  for (const place of places) {
    removeLeftCopies(place);
    const { bavail, bsize } = statfsSync(place);
    if (bavail * bsize >= needed) return place;
  }
  throw new ToolwrightError(
    "store_failed",
    `A copy of the store needs ${Math.ceil(needed / megabyte)} MB for a while, which neither of these folders has: ${places.join(", ")}. Free some space, or write the backup to another disk. Nothing was written.`,
  );
}
