import type { Store } from "@toolwright/postgres";
import { openState, type StoreUser } from "@toolwright/server/store";
import { openLogger } from "@toolwright/server/text";
import type { Io } from "../../io.ts";
import { type CommonOptions, readSettings } from "../../settings.ts";
import { requireTenant } from "./require-tenant.ts";

export interface TenantOptions extends CommonOptions {
  readonly tenant?: string;
}

/** Opens what lasts for one command that calls no tool. */
export async function withStore<Result>(
  io: Io,
  options: TenantOptions & Pick<StoreUser, "decides">,
  use: (store: Store) => Promise<Result>,
): Promise<Result> {
  const { decides } = options;
  const store = await openState(readSettings(options, io), { command: "command", brief: true, decides }, await openLogger(io));
  try {
    await requireTenant(store, options.tenant);
    return await use(store);
  } finally {
    await store.close();
  }
}
