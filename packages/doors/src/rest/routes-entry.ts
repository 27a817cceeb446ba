export { operationRoutes } from "./generated/operation-routes.ts";
export { type OperationHttp, writeRequest } from "./write-request.ts";
