import { localTenant } from "@toolwright/server/local";
import { exitCodes } from "../../exit-code.ts";
import type { Io } from "../../io.ts";
import type { RemoteOptions } from "../../remote/server.ts";
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
  const { openServer } = await import("../../remote/server.ts");
  const server = openServer(io, options);
  const response = await server.send({ method: "GET", path: `/artifacts/${encodeURIComponent(id)}/content`, headers: { accept: "*/*" } });
  if (!response.ok || response.body === null) throw server.toError(response.status, await response.json().catch(() => undefined));
  for await (const bytes of response.body) await io.outBytes(bytes);
  return exitCodes.done;
}
