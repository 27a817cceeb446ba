import type { Io } from "../../io.ts";
import { asPerson, type Person } from "./as-person.ts";
import type { RemoteOptions } from "./operate-remotely.ts";
import type { TenantOptions } from "./with-store.ts";

export interface CatalogueOptions extends TenantOptions, RemoteOptions {
  readonly agent?: string;
}

interface OpenCatalogue extends Person {
  /** For people. */
  readonly whose: string;
}

export function withCatalogue(io: Io, options: CatalogueOptions, use: (open: OpenCatalogue) => Promise<number>): Promise<number> {
  return asPerson(io, { ...options, callsNothing: true }, (person) => use({ ...person, whose: person.tenant ?? "The tenant" }));
}
