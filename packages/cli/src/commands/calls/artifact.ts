import { localTenant } from "@toolwright/server/local";
import { exitCodes } from "../../exit-code.ts";
import type { Io } from "../../io.ts";
import { openServer, type RemoteOptions } from "../context/operate-remotely.ts";
import { type TenantOptions, withStore } from "../context/with-store.ts";

const chunk = 1024 * 1024;

/** Writes the bytes as they are, a piece at a time. */
export function artifact(io: Io, options: TenantOptions & RemoteOptions, [id = ""]: readonly string[]): Promise<number> {
  const { tenant = localTenant, server } = options;
  if (server !== undefined) return fetchArtifact(io, options, id);
  return withStore(io, options, async ({ artifacts }) => {
    for (let offset = 0; ; offset += chunk) {
      const { ref, bytes } = await artifacts.read(tenant, id, { offset, length: chunk });
      await io.outBytes(bytes);
      if (offset + chunk >= ref.size) return exitCodes.done;
    }
  });
}

async function fetchArtifact(io: Io, options: RemoteOptions, id: string): Promise<number> {
  const { body } = await openServer(io, options).artifact(id);
  if (body) for await (const bytes of body) await io.outBytes(bytes);
  return exitCodes.done;
}
