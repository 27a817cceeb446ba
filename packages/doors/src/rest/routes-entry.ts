export { type OperationRoute, operationRoutes } from "./routes.ts";
export { type OperationHttp, writeRequest } from "./write-request.ts";
