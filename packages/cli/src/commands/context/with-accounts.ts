import type { Accounts } from "@toolwright/postgres";
import type { Io } from "../../io.ts";
import type { CommonOptions } from "../../settings.ts";
import { withStore } from "./with-store.ts";

/** Opens the accounts of people, which belong to no tenant: they are for whoever runs the store. */
export function withAccounts(io: Io, options: CommonOptions, use: (accounts: Accounts) => Promise<number>): Promise<number> {
  return withStore(io, options, ({ accounts }) => use(accounts));
}
