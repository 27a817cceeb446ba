import { join } from "node:path";
import { localTenant } from "../caller.ts";
import { exitCodes } from "../exit-code.ts";
import type { Io } from "../io.ts";
import { type CommonOptions, readSettings } from "../settings.ts";
import { createFileArtifactStore } from "../state/file-artifact-store.ts";

const chunk = 1024 * 1024;

/** Writes the bytes as they are, a piece at a time. */
export async function artifact(io: Io, options: CommonOptions, [id = ""]: readonly string[]): Promise<number> {
  const store = createFileArtifactStore(join(readSettings(options, io).state, "artifacts"));
  for (let offset = 0; ; offset += chunk) {
    const { ref, bytes } = await store.read(localTenant, id, { offset, length: chunk });
    await io.outBytes(bytes);
    if (offset + chunk >= ref.size) return exitCodes.done;
  }
}
