import type { ArtifactRef } from "../contract/call.ts";
import { ToolwrightError } from "../contract/errors.ts";
import { type ArtifactOwner, type ArtifactStore, artifactNotFound } from "../ports/artifact-store.ts";
import type { Ids } from "../ports/ids.ts";
import { createRandomIds } from "../ports/ids.ts";

interface Row {
  readonly ref: ArtifactRef;
  readonly owner: ArtifactOwner;
  readonly bytes: Uint8Array;
}

/** Keeps artifacts in memory, at most `maxBytes` of them: beyond that writing fails with `disk_full`. */
export function createMemoryArtifactStore(options: { readonly maxBytes?: number; readonly ids?: Ids } = {}): ArtifactStore {
  const maxBytes = options.maxBytes ?? 256 * 1024 * 1024;
  const ids = options.ids ?? createRandomIds();
  const rows = new Map<string, Row>();
  let total = 0;
  return {
    create(owner, meta) {
      const chunks: Uint8Array[] = [];
      let size = 0;
      const drop = () => {
        total -= size;
        size = 0;
        chunks.length = 0;
        return Promise.resolve();
      };
      return Promise.resolve({
        write(chunk) {
          if (total + chunk.length > maxBytes)
            return Promise.reject(new ToolwrightError("disk_full", `Artifacts may hold ${maxBytes} bytes in all, and that is used up.`));
          chunks.push(Uint8Array.from(chunk));
          size += chunk.length;
          total += chunk.length;
          return Promise.resolve();
        },
        finish() {
          const ref: ArtifactRef = { id: ids.next("art"), name: meta.name, mediaType: meta.mediaType, size };
          rows.set(ref.id, { ref, owner, bytes: Buffer.concat(chunks) });
          chunks.length = 0;
          return Promise.resolve(ref);
        },
        discard: drop,
      });
    },
    read(tenant, id, range = {}) {
      const row = rows.get(id);
      if (row?.owner.tenant !== tenant) return Promise.reject(artifactNotFound(id));
      const offset = range.offset ?? 0;
      return Promise.resolve({
        ref: row.ref,
        session: row.owner.session,
        bytes: row.bytes.subarray(offset, range.length === undefined ? undefined : offset + range.length),
      });
    },
    list: (tenant, session, call) =>
      Promise.resolve(
        [...rows.values()]
          .filter(({ owner }) => owner.tenant === tenant && owner.session === session && (call ?? owner.callId) === owner.callId)
          .map(({ ref }) => ref)
          .reverse(),
      ),
  };
}
