import { exitCodes } from "../../exit-code.ts";
import type { Io } from "../../io.ts";
import { minuteOf } from "../../output/minute-of.ts";
import { renderTable } from "../../output/table.ts";
import type { CommonOptions } from "../../settings.ts";
import type { RemoteOptions } from "../context/operate-remotely.ts";
import { withOperations } from "../context/with-operations.ts";

type Options = CommonOptions & Pick<RemoteOptions, "server">;

export function create(io: Io, options: Options & { readonly name?: string }, [tenant = ""]: readonly string[]): Promise<number> {
  return withOperations(io, options, async (operate) => {
    const made = await operate("tenants.create", { tenant, name: options.name });
    if (options.json) io.out(`${JSON.stringify(made, null, 2)}\n`);
    else io.out(`Made the tenant ${tenant}. Ask its first owner in: toolwright users invite <e-mail> --role owner --tenant ${tenant}\n`);
    return exitCodes.done;
  });
}

export function list(io: Io, options: Options): Promise<number> {
  return withOperations(io, options, async (operate) => {
    const { items: records } = await operate("tenants.list", {});
    const rows = records.map(({ tenant, suspendedAt, createdAt, name }) => [
      tenant,
      suspendedAt === undefined ? "active" : `suspended ${minuteOf(suspendedAt)}`,
      minuteOf(createdAt),
      name,
    ]);
    io.out(`${options.json ? JSON.stringify(records, null, 2) : renderTable(["tenant", "state", "made", "name"], rows, io.columns)}\n`);
    return exitCodes.done;
  });
}

export function suspend(io: Io, options: Options, [tenant = ""]: readonly string[]): Promise<number> {
  return withOperations(io, options, async (operate) => {
    const record = await operate("tenants.suspend", { tenant });
    if (options.json) io.out(`${JSON.stringify(record, null, 2)}\n`);
    io.err(`Suspended ${tenant}: nobody of it gets in from now on. toolwright tenants resume ${tenant} takes it back.\n`);
    return exitCodes.done;
  });
}

export function resume(io: Io, options: Options, [tenant = ""]: readonly string[]): Promise<number> {
  return withOperations(io, options, async (operate) => {
    const record = await operate("tenants.resume", { tenant });
    if (options.json) io.out(`${JSON.stringify(record, null, 2)}\n`);
    io.err(`${tenant} goes on.\n`);
    return exitCodes.done;
  });
}
