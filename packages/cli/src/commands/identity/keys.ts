import { CliError } from "../../cli-error.ts";
import { exitCodes } from "../../exit-code.ts";
import type { Io } from "../../io.ts";
import { inTenant } from "../../output/in-tenant.ts";
import { minuteOf } from "../../output/minute-of.ts";
import { renderTable } from "../../output/table.ts";
import type { RemoteOptions } from "../context/operate-remotely.ts";
import { requireAgent } from "../context/require-agent.ts";
import { withOperations } from "../context/with-operations.ts";
import type { TenantOptions } from "../context/with-store.ts";

export interface CreateKeyOptions extends TenantOptions, RemoteOptions {
  readonly permission?: readonly string[];
  readonly agent?: string;
  readonly user?: string;
  readonly days: string;
}

/** The key goes to stdout, alone, so that a script can keep it where it belongs. */
export function create(io: Io, options: CreateKeyOptions, [name = ""]: readonly string[]): Promise<number> {
  const days = Number(options.days);
  if (!Number.isInteger(days)) throw new CliError(`--days is "${options.days}". Use a whole number, as in --days 30.`);
  return withOperations(io, options, async (operate) => {
    const { permission: permissions = [], agent, user, tenant } = options;
    if (agent !== undefined) await requireAgent(operate, agent, tenant);
    const { key, record } = await operate("keys.create", { name, permissions: [...permissions], agent, user, days });
    io.out(`${options.json ? JSON.stringify({ key, ...record }, null, 2) : key}\n`);
    if (permissions.length === 0)
      io.err("It may use only tools that ask for no permission. To let it read, make one with: --permission '*.*.read'\n");
    io.err(
      `This is the only time that the key is shown. It works until ${minuteOf(record.expiresAt)}; toolwright keys revoke ${record.id}${inTenant(tenant)} ends it.\n`,
    );
    return exitCodes.done;
  });
}

export function list(io: Io, options: TenantOptions & RemoteOptions): Promise<number> {
  return withOperations(io, options, async (operate) => {
    const { items: keys } = await operate("keys.list", {});
    const rows = keys.map(({ id, name, revokedAt, expiresAt, lastUsedAt, agent, user, permissions }) => [
      id,
      name,
      revokedAt === undefined ? `until ${minuteOf(expiresAt)}` : `revoked ${minuteOf(revokedAt)}`,
      lastUsedAt === undefined ? "never" : minuteOf(lastUsedAt),
      [user && `as ${user}`, agent && `for ${agent}`, ...permissions].filter(Boolean).join(" "),
    ]);
    if (options.json) io.out(`${JSON.stringify(keys, null, 2)}\n`);
    else io.out(`${rows.length === 0 ? "No keys." : renderTable(["id", "name", "state", "last used", "may"], rows, io.columns)}\n`);
    return exitCodes.done;
  });
}

export function revoke(io: Io, options: TenantOptions & RemoteOptions, [id = ""]: readonly string[]): Promise<number> {
  return withOperations(io, options, async (operate) => {
    await operate("keys.revoke", { id });
    if (options.json) io.out(`${JSON.stringify({ revoked: id }, null, 2)}\n`);
    io.err("Revoked. It opens nothing from now on.\n");
    return exitCodes.done;
  });
}
