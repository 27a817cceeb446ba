import { z } from "zod";
import type { JsonObject } from "../contract/json.ts";
import type { ProblemList } from "./check-rules.ts";
import type { Metadata } from "./copy-schema.ts";
import { fixForKind } from "./fix-for-kind.ts";
import { normalizeJson } from "./normalize-json.ts";
import { portablePattern } from "./portable-pattern.ts";
import { mapChildren } from "./schema-node.ts";

/** Converts to JSON Schema 2020-12 and reports what JSON cannot carry and which rules the Zod schemas break. */
export function convertToJson(schema: z.ZodType, metadata: Metadata, problems: ProblemList): JsonObject {
  const rules = problems.rules;
  const flagged = new Map<string, RegExp>();
  const json = z.toJSONSchema(schema, {
    io: problems.side,
    target: "draft-2020-12",
    metadata,
    cycles: "ref",
    reused: "inline",
    unrepresentable: ({ zodSchema, path }) => {
      const kind = zodSchema._zod.def.type;
      problems.add("representable", path, { problem: `is a ${kind}, which JSON cannot carry`, fix: fixForKind(kind) });
      return "any";
    },
    override: ({ zodSchema, path }) => {
      if (zodSchema._zod.def.type === "file") {
        problems.add("representable", path, { problem: "is a file, which JSON cannot carry", fix: fixForKind("file") });
      }
      for (const pattern of patternsOf(zodSchema)) if (/[ims]/.test(pattern.flags)) flagged.set(pattern.source, pattern);
      for (const rule of rules) {
        const breach = rule.inZod?.(zodSchema, path);
        if (breach) problems.add(rule.name, path, breach);
      }
    },
  });
  return spellPatterns(normalizeJson(json as JsonObject), flagged);
}

function patternsOf({ _zod: { def, bag } }: z.core.$ZodTypes): readonly RegExp[] {
  const definitions = [def, ...(def.checks ?? []).map((check) => check._zod.def)] as { pattern?: unknown }[];
  const found = [...definitions.map(({ pattern }) => pattern), ...((bag as { patterns?: Set<RegExp> }).patterns ?? [])];
  return found.filter((pattern) => pattern instanceof RegExp);
}

/**
 * Writes patterns so that every language reads them alike, where there is such a form. JSON Schema has no flags: a pattern that needs one would refuse
 * what the tool takes, so it is said in words instead.
 */
function spellPatterns(node: JsonObject, flagged: ReadonlyMap<string, RegExp>): JsonObject {
  const below = mapChildren(node, (child) => spellPatterns(child, flagged));
  if (typeof below.pattern !== "string") return below;
  const { pattern, description, ...rest } = below;
  const flags = flagged.get(String(pattern));
  const portable = portablePattern(String(pattern), flags?.flags);
  if (portable !== undefined || !flags) return { ...below, pattern: portable ?? String(pattern) };
  return { ...rest, description: `${typeof description === "string" ? `${description} ` : ""}(pattern: ${flags})` };
}
