import type { ArtifactRef } from "../contract/call.ts";
import type { Call } from "./call.ts";
import type { GateParts } from "./gate-parts.ts";

export interface ArtifactFile {
  readonly name: string;
  readonly mediaType: string;
  readonly content: string | Uint8Array;
}

/** Stores a file with the call and names it in the result. Text is redacted first. */
export async function saveArtifact(call: Call, file: ArtifactFile, parts: Pick<GateParts, "artifacts">): Promise<ArtifactRef> {
  const owner = { tenant: call.principal.tenant, session: call.session, callId: call.id };
  const writer = await parts.artifacts.create(owner, { name: file.name, mediaType: file.mediaType });
  try {
    await writer.write(typeof file.content === "string" ? Buffer.from(call.redactor.redact(file.content), "utf8") : file.content);
    const ref = await writer.finish();
    call.artifacts.push(ref);
    return ref;
  } catch (error) {
    await writer.discard();
    throw error;
  }
}
