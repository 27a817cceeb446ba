import { type Explanation, visibleText } from "@toolwright/engine";
import { cliScope } from "../../caller.ts";
import { exitCodes } from "../../exit-code.ts";
import { parseObject } from "../../input/read-fields.ts";
import type { Io } from "../../io.ts";
import { describePlace } from "../../policy-file/join-files.ts";
import type { LoadedPolicy } from "../../policy-file/load-policy-file.ts";
import { placeRule } from "../../policy-file/place-rule.ts";
import type { PolicyPlace } from "../../policy-file/read-policy-text.ts";
import type { CommonOptions } from "../../settings.ts";
import { findTool } from "../context/find-tool.ts";
import { withToolwright } from "../context/with-toolwright.ts";

export interface WhyOptions extends CommonOptions {
  readonly input?: string;
  readonly agent?: string;
}

export function why(io: Io, options: WhyOptions, [name = ""]: readonly string[]): Promise<number> {
  return withToolwright(io, options, async (toolwright) => {
    const scope = cliScope(toolwright, io, { agent: options.agent });
    const input = options.input === undefined ? undefined : parseObject(options.input, name);
    const explanation = scope.why(name, input);
    // Only a name that no admission check ever saw is a mistyped one.
    if (!explanation.visible && explanation.admission === undefined) findTool(scope, name, "See them with: toolwright list.");
    const places = placesOf(explanation, toolwright.policy);
    if (options.json) io.out(`${JSON.stringify({ ...explanation, places: Object.fromEntries(places) }, null, 2)}\n`);
    else {
      const lines = [...places].map(([rule, place]) => `${rule} is at ${describePlace(place)}.`);
      const checks =
        explanation.admission?.checks.map(({ check, passed, reason }) => `${passed ? "passed" : "failed"} ${check}: ${reason}`) ?? [];
      io.out(`${[explanation.text, ...lines, ...checks].map(visibleText).join("\n")}\n`);
    }
    return explanation.misfit !== undefined ? exitCodes.usage : exitCodes.done;
  });
}

function placesOf({ decision }: Explanation, policy: LoadedPolicy): ReadonlyMap<string, PolicyPlace> {
  const places = new Map<string, PolicyPlace>();
  for (const { rule } of decision?.findings ?? []) {
    const place = placeRule(policy, rule);
    if (place) places.set(rule, place);
  }
  return places;
}
