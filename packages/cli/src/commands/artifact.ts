import { localTenant } from "../caller.ts";
import { exitCodes } from "../exit-code.ts";
import type { Io } from "../io.ts";
import type { CommonOptions } from "../settings.ts";
import { withToolwright } from "./context/with-toolwright.ts";

const chunk = 1024 * 1024;

/** Writes the bytes as they are, a piece at a time. */
export function artifact(io: Io, options: CommonOptions, [id = ""]: readonly string[]): Promise<number> {
  return withToolwright(io, { ...options, callsNothing: true }, async ({ store: { artifacts } }) => {
    for (let offset = 0; ; offset += chunk) {
      const { ref, bytes } = await artifacts.read(localTenant, id, { offset, length: chunk });
      await io.outBytes(bytes);
      if (offset + chunk >= ref.size) return exitCodes.done;
    }
  });
}
