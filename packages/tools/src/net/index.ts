import httpRequest from "./http-request.ts";
import webFetch from "./web-fetch.ts";

export const netTools = [httpRequest, webFetch] as const;
