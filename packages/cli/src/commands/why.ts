import { visibleText } from "@toolwright/engine";
import { cliScope } from "../caller.ts";
import { exitCodes } from "../exit-code.ts";
import { parseObject } from "../input/read-fields.ts";
import type { Io } from "../io.ts";
import type { CommonOptions } from "../settings.ts";
import { findTool } from "./find-tool.ts";
import { withToolwright } from "./with-toolwright.ts";

export function why(io: Io, options: CommonOptions & { readonly input?: string }, [name = ""]: readonly string[]): Promise<number> {
  return withToolwright(io, options, async (toolwright) => {
    const scope = cliScope(toolwright, io);
    const input = options.input === undefined ? undefined : parseObject(options.input, name);
    const explanation = scope.why(name, input);
    // Only a name that no admission check ever saw is a mistyped one.
    if (!explanation.visible && explanation.admission === undefined) findTool(scope, name);
    io.out(options.json ? `${JSON.stringify(explanation, null, 2)}\n` : `${visibleText(explanation.text)}\n`);
    return exitCodes.done;
  });
}
