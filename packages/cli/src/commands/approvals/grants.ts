import { describeGrant } from "@toolwright/engine/policy";
import { exitCodes } from "../../exit-code.ts";
import type { Io } from "../../io.ts";
import { asPerson } from "../context/as-person.ts";
import type { RemoteOptions } from "../context/operate-remotely.ts";
import type { TenantOptions } from "../context/with-store.ts";

export function list(io: Io, options: TenantOptions & RemoteOptions): Promise<number> {
  return asPerson(io, { ...options, callsNothing: true }, async ({ operate }) => {
    const { items: live } = await operate("grants.list", {});
    if (options.json) io.out(`${JSON.stringify(live, null, 2)}\n`);
    else if (live.length === 0) io.out("Nothing is remembered: every call that asks waits for a person.\n");
    else io.out(`${live.map((grant) => `${grant.record.id}\n  ${describeGrant(grant)}`).join("\n")}\n`);
    return exitCodes.done;
  });
}

export function revoke(io: Io, options: TenantOptions & RemoteOptions, [id = ""]: readonly string[]): Promise<number> {
  return asPerson(io, { ...options, callsNothing: true }, async ({ operate }) => {
    await operate("grants.revoke", { id });
    if (options.json) io.out(`${JSON.stringify({ revoked: id }, null, 2)}\n`);
    io.err("Grant revoked. Matching calls ask again.\n");
    return exitCodes.done;
  });
}
