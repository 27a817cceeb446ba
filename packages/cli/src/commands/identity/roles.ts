import { exitCodes } from "../../exit-code.ts";
import type { Io } from "../../io.ts";
import { inTenant } from "../../output/in-tenant.ts";
import { renderTable } from "../../output/table.ts";
import type { RemoteOptions } from "../context/operate-remotely.ts";
import { withOperations } from "../context/with-operations.ts";
import type { TenantOptions } from "../context/with-store.ts";

type Options = TenantOptions & RemoteOptions;

export function list(io: Io, options: Options): Promise<number> {
  return withOperations(io, options, async (operate) => {
    const { items: roles } = await operate("roles.list", {});
    const rows = roles.map(({ role, builtIn, permissions }) => [role, builtIn ? "built in" : "own", permissions.join(" ")]);
    io.out(`${options.json ? JSON.stringify(roles, null, 2) : renderTable(["role", "kind", "permissions"], rows, io.columns)}\n`);
    return exitCodes.done;
  });
}

export function set(
  io: Io,
  options: Options & { readonly permission?: readonly string[] },
  [role = ""]: readonly string[],
): Promise<number> {
  return withOperations(io, options, async (operate) => {
    const made = await operate("roles.set", { role, permissions: [...(options.permission ?? [])] });
    if (options.json) io.out(`${JSON.stringify(made, null, 2)}\n`);
    if (made.permissions.length === 0)
      io.err("It may use only tools that ask for no permission. To let it read, add: --permission '*.*.read'\n");
    io.err(`The role ${role} counts from now on. To give it: toolwright users set-role WHO ${role}${inTenant(options.tenant)}\n`);
    return exitCodes.done;
  });
}

export function remove(io: Io, options: Options, [role = ""]: readonly string[]): Promise<number> {
  return withOperations(io, options, async (operate) => {
    const removed = await operate("roles.remove", { role });
    if (options.json) io.out(`${JSON.stringify(removed, null, 2)}\n`);
    io.err(`The role ${role} is removed.\n`);
    return exitCodes.done;
  });
}
