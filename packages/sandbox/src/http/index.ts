export { createDial, type Dial, type DialTarget } from "./dial.ts";
export { type GuardedFetchOptions, guardedFetch } from "./guarded-fetch.ts";
export { type HttpCapabilityOptions, httpCapability } from "./http-capability.ts";
export { type PublicDocumentOptions, publicDocuments } from "./public-documents.ts";
export { type Resolve, resolveTarget, resolveWithSystem } from "./resolve-target.ts";
