import { localTenant } from "@toolwright/server/local";
import { exitCodes } from "../../exit-code.ts";
import type { Io } from "../../io.ts";
import { type TenantOptions, withStore } from "../context/with-store.ts";

const chunk = 1024 * 1024;

/** Writes the bytes as they are, a piece at a time. */
export function artifact(io: Io, options: TenantOptions, [id = ""]: readonly string[]): Promise<number> {
  const { tenant = localTenant } = options;
  return withStore(io, options, async ({ artifacts }) => {
    for (let offset = 0; ; offset += chunk) {
      const { ref, bytes } = await artifacts.read(tenant, id, { offset, length: chunk });
      await io.outBytes(bytes);
      if (offset + chunk >= ref.size) return exitCodes.done;
    }
  });
}
