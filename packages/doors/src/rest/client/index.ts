export type { OperationName, OperationTypes } from "@toolwright/engine/operations";
export type {
  AnyTools,
  CallEvent,
  CallOptions,
  Client,
  ClientOptions,
  ItemOf,
  RequestOptions,
  RunningCall,
  WaitingOptions,
} from "./client-types.ts";
export { createClient } from "./create-client.ts";
export { RequestError } from "./request-error.ts";
