import type { GrowthRequest } from "./served-product.ts";
import type { Size } from "./shapes.ts";

/** One way in which the input of one target grows. */
export interface GrowthCase {
  /** An operation, a tool, an MCP method or a route. */
  readonly target: string;
  readonly shape: string;
  at(size: Size): GrowthRequest | Promise<GrowthRequest>;
}

/** The request of a call over REST. */
export function callTool(name: string, input: object): GrowthRequest {
  return { method: "POST", path: `/api/tools/${name}/call`, body: JSON.stringify(input) };
}
