import { type ComposeOptions, composeToolwright, type Toolwright } from "@toolwright/server/compose";
import type { Io } from "../../io.ts";
import { readSettings } from "../../settings.ts";
import { requireTenant } from "./require-tenant.ts";
import type { TenantOptions } from "./with-store.ts";

/** Puts the product together for one command, tells of tools that were refused, and takes it apart again. */
export async function withToolwright<Result>(
  io: Io,
  options: TenantOptions & ComposeOptions,
  use: (toolwright: Toolwright) => Promise<Result>,
): Promise<Result> {
  if (io.embedding) return use(io.embedding.toolwright);
  const toolwright = await composeToolwright(readSettings(options, io), io, options);
  try {
    await requireTenant(toolwright.store, options.tenant);
    for (const { message } of toolwright.loaded?.problems ?? []) io.err(`Left out: ${message}\n`);
    return await use(toolwright);
  } finally {
    await toolwright.close();
  }
}
