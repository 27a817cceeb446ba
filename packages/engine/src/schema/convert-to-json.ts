import { z } from "zod";
import type { JsonObject } from "../contract/json.ts";
import type { ProblemList } from "./check-rules.ts";
import type { CopiedSchema } from "./copy-schema.ts";
import { fixForKind } from "./fix-for-kind.ts";
import { normalizeJson } from "./normalize-json.ts";

/** Converts to JSON Schema 2020-12 and reports what JSON cannot carry and which rules the Zod schemas break. */
export function convertToJson({ schema, metadata }: CopiedSchema, problems: ProblemList): JsonObject {
  const rules = problems.rules;
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
      for (const rule of rules) {
        const breach = rule.inZod?.(zodSchema, path);
        if (breach) problems.add(rule.name, path, breach);
      }
    },
  });
  return normalizeJson(json as JsonObject);
}
