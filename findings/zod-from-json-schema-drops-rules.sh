#!/usr/bin/env bash
# zod 4.6.7: z.fromJSONSchema throws for keywords that it does not support (if/then/else, dependentRequired),
# but drops other rules of draft 2020-12 without an error, so that the schema it returns accepts what the document forbids:
#   - what stands beside $ref, enum or const
#   - a pattern in a branch of allOf that has no type of its own
#   - a name in "required" that is not in "properties"
#   - minItems and maxItems where there is no "items"
#   - anyOf and oneOf beside allOf in a schema without a type
#   - "additionalProperties": false in one of two schemas that a value has to fit, for members that the other does not name either
# One rule becomes stricter instead: a pattern with \p{L} rejects every letter, since it is compiled without the u flag
# that JSON Schema recommends (core, section 6.4).
# A schema from elsewhere needs a second validator, or an allow-list of keywords a node.
# Ends with 1 when the behaviour changes.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init -y >/dev/null
npm install --no-audit --no-fund --silent zod@4.6.7
cat >check.mjs <<'JS'
import { z } from "zod";

const rows = [
  ["a pattern beside enum", { type: "string", enum: ["a", "bb"], pattern: "^a" }, "bb", "accepts"],
  ["a minimum beside const", { const: 5, minimum: 6 }, 5, "accepts"],
  ["a minimum beside $ref", { type: "object", properties: { n: { $ref: "#/$defs/n", minimum: 6 } }, $defs: { n: { type: "number" } } }, { n: 5 }, "accepts"],
  ["a pattern in a branch of allOf", { allOf: [{ type: "string", pattern: "^a" }, { pattern: "b$" }] }, "ac", "accepts"],
  ["required without properties", { type: "object", properties: { a: { type: "string" } }, required: ["b"] }, { a: "x" }, "accepts"],
  ["maxItems without items", { type: "array", maxItems: 1 }, [1, 2], "accepts"],
  ["anyOf beside allOf", { anyOf: [{ type: "number" }], allOf: [{ type: "string" }] }, "a", "accepts"],
  ["a closed object in allOf", { allOf: [{ type: "object", properties: {}, additionalProperties: false }, { type: "object" }] }, { a: 1 }, "accepts"],
  ["a pattern of letters", { type: "string", pattern: "^\\p{L}+$" }, "abc", "rejects"],
  ["if and then", { type: "object", if: { required: ["a"] }, then: { required: ["b"] } }, { a: "x" }, "throws"],
];
let changed = 0;
for (const [name, schema, value, seen] of rows) {
  let now;
  try {
    now = z.fromJSONSchema(schema).safeParse(value).success ? "accepts" : "rejects";
  } catch {
    now = "throws";
  }
  console.log(`${name}: ${now} ${JSON.stringify(value)}${now === seen ? "" : ` (seen before: ${seen})`}`);
  if (now !== seen) changed += 1;
}
process.exitCode = changed === 0 ? 0 : 1;
JS
node check.mjs
