import type { ArtifactRef } from "../../contract/call.ts";
import { ToolwrightError } from "../../contract/errors.ts";
import type { ArtifactStore, ArtifactWriter } from "../../ports/artifact-store.ts";
import type { Call } from "../call.ts";
import type { GateParts } from "../gate-parts.ts";

export interface ArtifactFile {
  readonly name: string;
  readonly mediaType: string;
  readonly content: string | Uint8Array;
}

/** Bytes of one artifact, unless the engine is told otherwise. */
export const defaultMaxArtifactBytes = 64 * 1024 * 1024;

type Keeping = Pick<GateParts, "artifacts" | "maxArtifactBytes">;

/** The store as one call may use it: what is written is redacted before it is kept and named in the call's result. */
export function callArtifacts(call: Call, { artifacts, maxArtifactBytes }: Keeping): ArtifactStore {
  return {
    async create(owner, meta) {
      const named = { ...meta, name: call.redactor.redact(meta.name), mediaType: call.redactor.redact(meta.mediaType) };
      return new RedactingWriter(await artifacts.create(owner, named), call, maxArtifactBytes);
    },
    read: (tenant, id, range) => artifacts.read(tenant, id, range),
    list: (tenant, session) => artifacts.list(tenant, session),
  };
}

/** Stores a file with the call. */
export function saveArtifact(call: Call, { content, ...meta }: ArtifactFile, parts: Keeping): Promise<ArtifactRef> {
  return writeArtifact(call, meta, { pieces: [content], parts });
}

/** The same, of what comes in pieces. */
export async function writeArtifact(
  call: Call,
  meta: Pick<ArtifactFile, "name" | "mediaType">,
  { pieces, parts }: { readonly pieces: Iterable<string | Uint8Array>; readonly parts: Keeping },
): Promise<ArtifactRef> {
  const owner = { tenant: call.principal.tenant, session: call.session, callId: call.id };
  const writer = await callArtifacts(call, parts).create(owner, meta);
  try {
    for (const piece of pieces) await writer.write(typeof piece === "string" ? Buffer.from(piece, "utf8") : piece);
    return await writer.finish();
  } catch (error) {
    await writer.discard();
    throw error;
  }
}

/** Latin-1 carries every byte as one character, so binary files come through as they are and a secret in them is still found. */
class RedactingWriter implements ArtifactWriter {
  readonly #inner: ArtifactWriter;
  readonly #call: Call;
  readonly #stream: ReturnType<Call["redactor"]["stream"]>;

  readonly #maxBytes: number;
  #size = 0;

  constructor(inner: ArtifactWriter, call: Call, maxBytes: number) {
    this.#inner = inner;
    this.#maxBytes = maxBytes;
    this.#call = call;
    this.#stream = call.redactor.stream();
  }

  write(chunk: Uint8Array): Promise<void> {
    this.#size += chunk.length;
    if (this.#size > this.#maxBytes) return Promise.reject(tooLarge(this.#maxBytes));
    if (!this.#call.redactor.active) return this.#inner.write(chunk);
    return this.#inner.write(Buffer.from(this.#stream.push(Buffer.from(chunk).toString("latin1")), "latin1"));
  }

  async finish(): Promise<ArtifactRef> {
    const rest = this.#stream.flush();
    if (rest !== "") await this.#inner.write(Buffer.from(rest, "latin1"));
    const ref = await this.#inner.finish();
    this.#call.artifacts.push(ref);
    return ref;
  }

  discard(): Promise<void> {
    return this.#inner.discard();
  }
}

function tooLarge(maxBytes: number): ToolwrightError {
  const message = `An artifact holds at most ${maxBytes} bytes, and this one would be larger, so it was not kept. Keep less, or in several artifacts.`;
  return new ToolwrightError("artifact_too_large", message, { details: { limit: maxBytes } });
}
