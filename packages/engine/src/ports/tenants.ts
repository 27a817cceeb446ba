/** Which tenants there are. */
export interface Tenants {
  /** *Contract:* at once for one that was known before; asked at each call. Rejects when it cannot be found out. */
  has(tenant: string): boolean | Promise<boolean>;
}

/** For an embedder that keeps no list of them. */
export const everyTenant: Tenants = { has: () => true };
