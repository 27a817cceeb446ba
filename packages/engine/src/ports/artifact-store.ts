import type { ArtifactRef } from "../contract/call.ts";
import { ToolwrightError } from "../contract/errors.ts";

export interface ArtifactOwner {
  readonly tenant: string;
  readonly session: string;
  readonly callId: string;
}

export interface ArtifactWriter {
  /** *Contract:* may reject with `disk_full`; the artifact is then unusable and `finish` must not be called. */
  write(chunk: Uint8Array): Promise<void>;
  finish(): Promise<ArtifactRef>;
  discard(): Promise<void>;
}

/** Wholes of cut outputs, files and screenshots that tools save. */
export interface ArtifactStore {
  create(owner: ArtifactOwner, meta: { readonly name: string; readonly mediaType: string }): Promise<ArtifactWriter>;
  /** Rejects with `artifact_not_found` for a missing one and for another tenant's alike. Offsets and lengths in bytes. `session`: its owner's. */
  read(
    tenant: string,
    id: string,
    range?: { readonly offset?: number; readonly length?: number },
  ): Promise<{ readonly ref: ArtifactRef; readonly session: string; readonly bytes: Uint8Array }>;
  /** Newest first; with `call` those that this call kept. */
  list(tenant: string, session: string, call?: string): Promise<readonly ArtifactRef[]>;
}

/** The error for an artifact that does not exist or that the caller may not read, in the same words. */
export function artifactNotFound(id: string): ToolwrightError {
  return new ToolwrightError("artifact_not_found", `There is no artifact ${id} here.`);
}
