export {
  type CompiledSchema,
  compileInput,
  compileOutput,
  type ParseOutcome,
  type SchemaIssue,
  type StandardResult,
  type StandardSchema,
} from "../schema/compile-schema.ts";
export { type EmbeddedSchema, type Embedding, embedSchema } from "../schema/embed-schema.ts";
export { estimateTokens } from "../schema/estimate-tokens.ts";
export { fitsSchema } from "../schema/fits-schema.ts";
export {
  type CompilableTool,
  compileForTarget,
  compileJsonSchemaForTarget,
  type SchemaLoss,
  type SchemaRewrite,
  type SchemaTarget,
  schemaTargets,
  sourcesOf,
  type TargetSchema,
  type TargetSource,
  type ToolForTarget,
} from "../schema/targets/compile-for-target.ts";
export { exampleBudget, type OfferableTool, type OfferedTool, offerTool } from "../schema/targets/offer-tool.ts";
