import { AsyncLocalStorage } from "node:async_hooks";

/**
 * The tenant for which a consent is asked in the request that runs, instead of the session's: in the session the answers to two programs at the
 * same moment would get in each other's way.
 */
export const chosenTenant = new AsyncLocalStorage<string>();

/** No tenant has this name, and so nobody has given consent for it. */
export const noTenant = "-";
