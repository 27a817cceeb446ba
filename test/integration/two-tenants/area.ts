import type { World } from "./open-world.ts";

type Ask = (world: World, tenant: string, id: string) => unknown;

/** Things of one kind, and every function that tells of them or changes them. */
export interface Area {
  /** Makes one of the tenant's, named `name`; resolves with its identifier where that is not the name. */
  make(world: World, tenant: string, name: string): unknown;
  /** The thing as its own tenant sees it. */
  look: Ask;
  /** By path of the function, with words in brackets where it is asked in several ways: another tenant's identifier is given. */
  byId?: Readonly<Record<string, Ask>>;
  /** The same of those that are given no identifier: what the tenant is told must not change with what another one has. */
  lists?: Readonly<Record<string, (world: World, tenant: string) => unknown>>;
}

/** The path of a function without the words in brackets. */
export const pathOf = (name: string) => name.replace(/ \(.*$/, "");
