import { anthropic } from "./anthropic.ts";
import type { Dialect } from "./dialect.ts";

/** Amazon Bedrock Converse, `toolSpec` with `strict: true`: the same subset of JSON Schema 2020-12 as Claude's own. */
export const bedrock: Dialect = {
  ...anthropic,
  source: "https://docs.aws.amazon.com/bedrock/latest/userguide/structured-output.html",
  examples: "description",
  limits: {},
};
