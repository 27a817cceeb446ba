import type { OperationName } from "@toolwright/engine/operations";
import { operationRoutes } from "./generated/operation-routes.ts";
import { routeOf } from "./write-request.ts";

export { type OperationHttp, writeRequest } from "./write-request.ts";

/** Where each operation is served: its method, and its path below the REST door. */
export const routes: readonly (readonly [method: string, path: string])[] = (Object.keys(operationRoutes) as OperationName[]).map(routeOf);
