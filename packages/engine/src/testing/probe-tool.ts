import { z } from "zod";
import type { CallResult } from "../contract/call.ts";
import type { Principal } from "../contract/principal.ts";
import { createEngine } from "../engine.ts";
import type { EngineOptions } from "../engine-types.ts";
import type { InvokeOptions } from "../gate/invoke-options.ts";
import type { CapabilityProvider } from "../ports/capability.ts";
import type { ReadFiles } from "../ports/files.ts";
import { silentLogger } from "../ports/logger.ts";
import { type AnyTool, defineTool } from "../tool/define-tool.ts";

export const principal: Principal = { tenant: "acme", actor: { kind: "user", id: "ann" }, permissions: [], door: "mcp" };
/** Input and output of tools that tests define: one text. */
export const text = z.object({ text: z.string() });
const base = { name: "probe", description: "A tool for tests.", input: z.object({ a: z.int().nullish() }), output: text };
/** A tool named `probe`, for tests of the gate. */
export const probe = (run: (...parameters: never[]) => unknown, more: object = {}) =>
  defineTool({ ...base, ...more, run } as never) as AnyTool;

/** One call of it, by an engine of its own. */
export function invoke(
  tool: AnyTool,
  { input = {} as unknown, options = {} as InvokeOptions, engine = {} as EngineOptions, by = principal } = {},
): Promise<CallResult> {
  return createEngine({ tools: [tool], logger: silentLogger, ...engine })
    .scope(by, { session: "s1" })
    .invokeNamed("probe", input, options);
}

/** Reads everything as "found". */
export const filesDouble: CapabilityProvider<"files"> = {
  name: "files",
  open: () => ({ readLines: async () => ({ text: "found", lines: 1, truncated: false, version: "1" }) }) as unknown as ReadFiles,
};
