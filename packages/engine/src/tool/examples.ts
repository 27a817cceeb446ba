import { z } from "zod";
import { ToolwrightError } from "../contract/errors.ts";
import { isPlainObject } from "../contract/json.ts";
import type { InputSchema, ToolExample } from "./define-tool.ts";

/**
 * Checks the examples against the input schema, in which every member at the top is optional; of a union, one branch
 * has to fit. Throws `definition_invalid` with the tool, the example's label and the place.
 */
export function checkExamples(tool: { readonly name: string; readonly examples?: readonly ToolExample[] }, schema: InputSchema): void {
  if (!tool.examples?.length) return;
  const branches = partialBranches(schema);
  for (const example of tool.examples) {
    const problems = branches.map((branch) => findProblem(branch, example.input));
    if (problems.includes(undefined)) continue;
    throw new ToolwrightError(
      "definition_invalid",
      `Tool "${tool.name}", example ${JSON.stringify(example.label)}: ${[...new Set(problems)].join("; or ")}. Correct the example or the input schema.`,
    );
  }
}

function partialBranches(schema: z.core.$ZodType): z.core.$ZodType[] {
  const def = (schema as z.core.$ZodTypes)._zod.def;
  if (def.type === "union") return def.options.flatMap(partialBranches);
  if (def.type !== "object") return [schema];
  const shape = Object.fromEntries(Object.entries(def.shape).map(([name, member]) => [name, z.optional(member)]));
  // A check across members cannot judge a part of them.
  return [z.core.clone(schema, { ...def, shape, checks: [] } as typeof def)];
}

function findProblem(schema: z.core.$ZodType, input: unknown): string | undefined {
  // Once each: to generate a parser takes longer.
  const result = z.safeParse(schema, input, { jitless: true });
  if (!result.success) {
    const issue = result.error.issues[0]!;
    return `/${issue.path.join("/")}: ${issue.message}`;
  }
  const stripped = findStripped(input, result.data, "");
  return stripped === undefined ? undefined : `${stripped}: the input schema has no such member`;
}

/** The first member that the parse took away: Zod strips what a schema does not name. */
function findStripped(before: unknown, after: unknown, path: string): string | undefined {
  if (Array.isArray(before) && Array.isArray(after)) return firstOf(before.entries(), (index) => after[index], path);
  if (!isPlainObject(before) || !isPlainObject(after)) return undefined;
  const lost = Object.keys(before).find((key) => before[key] !== undefined && !Object.hasOwn(after, key));
  return lost === undefined ? firstOf(Object.entries(before), (key) => after[key], path) : `${path}/${lost}`;
}

function firstOf<Key extends string | number>(entries: Iterable<[Key, unknown]>, after: (key: Key) => unknown, path: string) {
  for (const [key, item] of entries) {
    const found = findStripped(item, after(key), `${path}/${key}`);
    if (found !== undefined) return found;
  }
  return undefined;
}
