import { type FileHandle, mkdir, open, readdir, readFile, rename, rm } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import {
  type ArtifactOwner,
  type ArtifactRef,
  type ArtifactStore,
  type ArtifactWriter,
  createRandomIds,
  type Ids,
  ToolwrightError,
} from "@toolwright/engine";
import { asDiskError, codeOf, placeOnce, syncFolder } from "./place-once.ts";
import { type KeepOptions, type Prunable, Pruner } from "./prune-entries.ts";
import { isStoredId, pathPart } from "./state-folder.ts";

interface Meta {
  readonly ref: ArtifactRef;
  readonly session: string;
  readonly callId: string;
  /** Milliseconds since the epoch, with parts of them: two in one millisecond keep their order. */
  readonly createdAt: number;
}

/**
 * Artifacts as files that only their owner on the machine can read: `<folder>/<tenant>/<id>/content` and `meta.json`.
 * An artifact exists once its meta is placed; a writer that died leaves a folder without one, which nobody sees. Both are kept for a while and
 * then removed.
 */
export function createFileArtifactStore(
  folder: string,
  { ids = createRandomIds(), ...keep }: KeepOptions & { readonly ids?: Ids } = {},
): ArtifactStore & Prunable {
  const endOf = async (place: string) => (await readMeta(dirname(place), basename(place)))?.createdAt;
  const pruner = new Pruner(folder, { main: "meta.json", own: ownName, endOf }, keep);
  const folderOf = (tenant: string) => join(folder, pathPart(tenant));
  return {
    async create(owner, { name, mediaType }) {
      await pruner.pruneLazily();
      const id = ids.next("art");
      const place = join(folderOf(owner.tenant), id);
      try {
        await mkdir(place, { recursive: true, mode: 0o700 });
        return new FileArtifactWriter({
          file: await open(join(place, "content.part"), "wx", 0o600),
          place,
          owner,
          ref: { id, name, mediaType },
        });
      } catch (error) {
        throw asDiskError(error, place);
      }
    },
    async read(tenant, id, range = {}) {
      const meta = await readMeta(folderOf(tenant), id);
      if (!meta)
        throw new ToolwrightError(
          "artifact_not_found",
          `There is no artifact "${id}". List the artifacts of the session to see which there are.`,
        );
      return { ref: meta.ref, bytes: await readRange(join(folderOf(tenant), id, "content"), { ...range, size: meta.ref.size }) };
    },
    async list(tenant, session) {
      const names = await readdir(folderOf(tenant)).catch(() => []);
      const metas = await Promise.all(names.map((id) => readMeta(folderOf(tenant), id)));
      return metas
        .filter((meta) => meta !== undefined && meta.session === session)
        .sort((a, b) => (b?.createdAt ?? 0) - (a?.createdAt ?? 0))
        .map((meta) => (meta as Meta).ref);
    },
    prune: () => pruner.prune(),
  };
}

const ownName = /^(?:content|content\.part|meta\.json(?:\.[0-9a-f]{16}\.draft)?)$/;

interface Draft {
  readonly file: FileHandle;
  readonly place: string;
  readonly owner: ArtifactOwner;
  readonly ref: Omit<ArtifactRef, "size">;
}

class FileArtifactWriter implements ArtifactWriter {
  readonly #draft: Draft;
  #size = 0;

  constructor(draft: Draft) {
    this.#draft = draft;
  }

  async write(chunk: Uint8Array): Promise<void> {
    try {
      // `writeFile` on an open file goes on where the last one ended, and writes the whole chunk.
      await this.#draft.file.writeFile(chunk);
      this.#size += chunk.byteLength;
    } catch (error) {
      throw asDiskError(error, this.#draft.place);
    }
  }

  async finish(): Promise<ArtifactRef> {
    const { file, place, owner } = this.#draft;
    await file.sync();
    await file.close();
    await rename(join(place, "content.part"), join(place, "content"));
    const ref = { ...this.#draft.ref, size: this.#size };
    const meta: Meta = { ref, session: owner.session, callId: owner.callId, createdAt: performance.timeOrigin + performance.now() };
    await placeOnce(join(place, "meta.json"), JSON.stringify(meta));
    await syncFolder(join(place, ".."));
    return ref;
  }

  async discard(): Promise<void> {
    await this.#draft.file.close();
    await rm(this.#draft.place, { recursive: true, force: true });
  }
}

async function readMeta(folder: string, id: string): Promise<Meta | undefined> {
  if (!isStoredId(id)) return undefined;
  try {
    return JSON.parse(await readFile(join(folder, id, "meta.json"), "utf8")) as Meta;
  } catch (error) {
    if (codeOf(error) === "ENOENT" || codeOf(error) === "ENOTDIR") return undefined;
    throw error;
  }
}

async function readRange(
  path: string,
  { offset = 0, length, size }: { offset?: number; length?: number; size: number },
): Promise<Uint8Array> {
  const start = Math.min(Math.max(offset, 0), size);
  const wanted = Math.max(0, Math.min(length ?? size, size - start));
  const file = await open(path, "r");
  try {
    const bytes = new Uint8Array(wanted);
    let filled = 0;
    while (filled < wanted) {
      const { bytesRead } = await file.read(bytes, filled, wanted - filled, start + filled);
      if (bytesRead === 0) break;
      filled += bytesRead;
    }
    return bytes.subarray(0, filled);
  } finally {
    await file.close();
  }
}
