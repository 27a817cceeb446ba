export type { OperationName, OperationTypes, OwnPermission } from "@toolwright/engine/operations";
// What a page shows of what somebody is asked to approve, as the command line shows it.
export { visibleText } from "@toolwright/engine/visible-text";
export type {
  AnyTools,
  CallEvent,
  CallOptions,
  Client,
  ClientOptions,
  ItemOf,
  RequestOptions,
  RunningCall,
  StreamOptions,
  TurnRequest,
  WaitingOptions,
} from "./client-types.ts";
export { createClient } from "./create-client.ts";
export { RequestError } from "./request-error.ts";
