import { serverInstructions } from "@toolwright/doors/mcp/instructions";
import { version } from "../version.ts";

export interface ServerFacts {
  readonly serverInfo: { readonly name: string; readonly version: string };
  /** For the model: how to use this server as a whole. */
  readonly instructions: string;
}

/** What every MCP door of this program says of itself. It takes nothing to know: the first answer on stdin waits for nothing else. */
export const serverFacts: ServerFacts = { serverInfo: { name: "toolwright", version }, instructions: serverInstructions };
