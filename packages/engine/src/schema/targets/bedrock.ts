import { anthropic } from "./anthropic.ts";
import type { Dialect } from "./dialect.ts";

/** Amazon Bedrock Converse, `toolSpec` with `strict: true`: the same subset of JSON Schema 2020-12 as Claude's own. */
export const bedrock: Dialect = {
  ...anthropic,
  sources: [
    {
      url: "https://docs.aws.amazon.com/bedrock/latest/userguide/structured-output.html",
      says: "Keywords of strict tool use, no recursion, closed objects.",
    },
    {
      url: "https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_ToolSpecification.html",
      read: "2026-11-23",
      says: "A name has 1 to 64 characters of [a-zA-Z0-9_-].",
    },
    {
      url: "https://github.com/aws-solutions-library-samples/accelerated-intelligent-document-processing-on-aws/issues/709",
      read: "2026-11-23",
      says: "The API's own error: property keys should match pattern ^[a-zA-Z0-9_.-]{1,64}$.",
    },
  ],
  examples: "description",
  limits: {},
};
