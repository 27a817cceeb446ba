import { createEngine } from "@toolwright/engine";
import { cliScope } from "../../caller.ts";
import type { Io } from "../../io.ts";
import { type Operate, operateAs } from "./operate.ts";
import { operateAt } from "./operate-at.ts";
import type { RemoteOptions } from "./operate-remotely.ts";
import { type TenantOptions, withStore } from "./with-store.ts";

/** Operations on what the store keeps, without tools and policy, or those of another server. */
export async function withOperations(
  io: Io,
  options: TenantOptions & RemoteOptions,
  use: (operate: Operate) => Promise<number>,
): Promise<number> {
  if (options.server !== undefined) return use(await operateAt(io, options));
  const { tenant } = options;
  return withStore(io, options, async ({ clock, events, log, runs, sessions, tenants, usage }) => {
    const engine = createEngine({ clock, events, sessions, tenants, administration: { log, runs, usage } });
    try {
      return await use(operateAs(cliScope({ engine }, io, { interactive: true, tenant }), { engine }));
    } finally {
      await engine.close();
    }
  });
}
