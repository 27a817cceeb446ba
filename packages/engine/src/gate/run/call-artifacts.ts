import type { ArtifactRef } from "../../contract/call.ts";
import type { ArtifactStore, ArtifactWriter } from "../../ports/artifact-store.ts";
import type { Call } from "../call.ts";
import type { GateParts } from "../gate-parts.ts";

export interface ArtifactFile {
  readonly name: string;
  readonly mediaType: string;
  readonly content: string | Uint8Array;
}

/** The store as one call may use it: what is written is redacted before it is kept (pain 13) and named in the call's result. */
export function callArtifacts(call: Call, { artifacts }: Pick<GateParts, "artifacts">): ArtifactStore {
  return {
    async create(owner, meta) {
      const named = { ...meta, name: call.redactor.redact(meta.name), mediaType: call.redactor.redact(meta.mediaType) };
      return new RedactingWriter(await artifacts.create(owner, named), call);
    },
    read: (tenant, id, range) => artifacts.read(tenant, id, range),
    list: (tenant, session) => artifacts.list(tenant, session),
  };
}

/** Stores a file with the call. */
export async function saveArtifact(call: Call, file: ArtifactFile, parts: Pick<GateParts, "artifacts">): Promise<ArtifactRef> {
  const owner = { tenant: call.principal.tenant, session: call.session, callId: call.id };
  const writer = await callArtifacts(call, parts).create(owner, { name: file.name, mediaType: file.mediaType });
  try {
    await writer.write(typeof file.content === "string" ? Buffer.from(file.content, "utf8") : file.content);
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

  constructor(inner: ArtifactWriter, call: Call) {
    this.#inner = inner;
    this.#call = call;
    this.#stream = call.redactor.stream();
  }

  write(chunk: Uint8Array): Promise<void> {
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
