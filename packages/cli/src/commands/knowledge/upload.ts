import { createHash } from "node:crypto";
import type { OperationTypes } from "@toolwright/engine/operations";
import { createRandomIds, mostPartBytes, pause, systemClock } from "@toolwright/engine/ports";
import { engineViews } from "@toolwright/engine/views";
import { oneLine } from "@toolwright/engine/visible-text";
import { startDocuments } from "@toolwright/tools";
import { CliError } from "../../cli-error.ts";
import { exitCodes } from "../../exit-code.ts";
import type { Io } from "../../io.ts";
import { describeWhereabouts } from "../../output/describe-options.ts";
import { asPerson, type Person } from "../context/as-person.ts";
import type { Operate } from "../context/operate.ts";
import type { RemoteOptions } from "../context/operate-remotely.ts";
import type { TenantOptions } from "../context/with-store.ts";

type Document = OperationTypes["documents.show"]["output"];
type Begun = OperationTypes["documents.begin"]["input"];

/** What is uploaded, read when it is its turn. `bytes` throws a CliError for one that cannot be read. */
export type NewFile = Omit<Begun, "hash"> & { readonly bytes: () => Uint8Array };

export interface UploadOptions extends TenantOptions, RemoteOptions {
  readonly wait?: boolean;
}

const lookMs = 250;

/** Uploads files one after the other, and waits until they are read where that is wanted. */
export async function uploadAll(io: Io, options: UploadOptions, files: readonly NewFile[]): Promise<number> {
  return asPerson(io, { ...options, callsNothing: true }, async (person) => {
    const documents: Document[] = [];
    let unread = 0;
    for (const file of files) {
      if (io.signal?.aborted) break;
      const document = await uploadOrTell(file, person.operate, io);
      if (document) documents.push(document);
      else unread += 1;
    }
    const waiting = documents.filter(({ nextVersion }) => nextVersion !== undefined);
    if (waiting.length > 0 && !options.wait) {
      const where = describeWhereabouts(options);
      io.err(`A server or worker reads ${waiting.length === 1 ? "it" : "them"}; see: toolwright knowledge list${where}\n`);
    }
    const ended = options.wait ? await waitFor(waiting, person, io) : [];
    const all = documents.map((each) => ended.find(({ id }) => id === each.id) ?? each);
    if (options.json) io.out(`${JSON.stringify(all, null, 2)}\n`);
    if (documents.length + unread < files.length || (options.wait && ended.length < waiting.length)) {
      io.err("Stopped. A server, a worker or the same command goes on with what is left.\n");
      return exitCodes.cancelled;
    }
    return unread > 0 || all.some(({ state }) => state === "failed") ? exitCodes.failed : exitCodes.done;
  });
}

/** Undefined for a file that cannot be read: it keeps no other from being added. */
async function uploadOrTell({ bytes: read, ...file }: NewFile, operate: Operate, io: Io): Promise<Document | undefined> {
  const bytes = readOrTell(read, file.title, io);
  if (!bytes) return undefined;
  const { document, unchanged } = await upload(file, bytes, operate);
  io.err(`${oneLine(file.title)}: ${unchanged ? `unchanged (${document.id})` : `added (${document.id})`}\n`);
  return document;
}

function readOrTell(read: NewFile["bytes"], title: string, io: Io): Uint8Array | undefined {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof CliError)) throw error;
    io.err(`${oneLine(title)}: not added. ${error.message}\n`);
    return undefined;
  }
}

async function upload(file: Omit<NewFile, "bytes">, bytes: Uint8Array, operate: Operate) {
  const begun = await operate("documents.begin", { ...file, hash: createHash("sha256").update(bytes).digest("hex") });
  if (begun.unchanged) return { document: begun.unchanged, unchanged: true };
  const name = begun.upload ?? "";
  for (let part = 0; part === 0 || part * mostPartBytes < bytes.length; part += 1) {
    const content = Buffer.from(bytes.subarray(part * mostPartBytes, (part + 1) * mostPartBytes)).toString("base64");
    await operate("documents.append", { upload: name, part, content });
  }
  return { document: await operate("documents.finish", { upload: name }), unchanged: false };
}

/** Documents that came to an end before the signal came; on this machine they are read meanwhile. */
async function waitFor(waiting: readonly Document[], { operate, here }: Person, io: Io): Promise<readonly Document[]> {
  const ended: Document[] = [];
  const { describeDocument } = await engineViews.documents();
  const stop = here && startReading(here.toolwright);
  try {
    const left = new Set(waiting.map(({ id }) => id));
    while (left.size > 0 && !io.signal?.aborted) {
      for (const id of left) {
        const document = await operate("documents.show", { id });
        if (document.nextVersion !== undefined) continue;
        left.delete(id);
        ended.push(document);
        io.err(`[${ended.length}/${waiting.length}] ${oneLine(describeDocument(document))}\n`);
      }
      if (left.size > 0) await pause(lookMs, systemClock, io.signal);
    }
  } finally {
    await stop?.();
  }
  return ended;
}

function startReading({ store, logger }: NonNullable<Person["here"]>["toolwright"]): () => Promise<void> {
  return startDocuments({ store: store.knowledge, clock: store.clock, ids: createRandomIds(), logger });
}
