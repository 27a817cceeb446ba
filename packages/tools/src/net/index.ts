import httpRequest from "./http-request.ts";
import webFetch from "./web-fetch.ts";
import webSearch from "./web-search.ts";

export { webSearch };
export const netTools = [httpRequest, webFetch] as const;
/** Those of the group that ask a service which has to be set up. */
export const searchTools = [webSearch] as const;
