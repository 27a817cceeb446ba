import { exitCodes } from "../../exit-code.ts";
import type { Io } from "../../io.ts";
import type { RemoteOptions } from "../context/operate-remotely.ts";
import { withOperations } from "../context/with-operations.ts";
import type { TenantOptions } from "../context/with-store.ts";

/** Which key is in force, and what it may: on another server nobody else would say. */
export function whoami(io: Io, options: TenantOptions & RemoteOptions): Promise<number> {
  return withOperations(io, options, async (operate) => {
    const me = await operate("principals.current", {});
    const { tenant, actor, agent, permissions } = me;
    const name = agent === undefined ? "" : `, as the agent ${agent}`;
    const may = permissions.length === 0 ? "nothing that needs a permission" : permissions.join(" ");
    io.out(`${options.json ? JSON.stringify(me, null, 2) : `${actor.kind} ${actor.id} of ${tenant}${name}\nmay: ${may}`}\n`);
    return exitCodes.done;
  });
}
