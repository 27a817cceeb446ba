export type { EgressOptions } from "./open-gateway.ts";
