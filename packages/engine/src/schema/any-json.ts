import { z } from "zod";
import { isJson, isPlainObject, type Json, type JsonObject } from "../contract/json.ts";

const isJsonObject = (value: unknown): value is JsonObject => isPlainObject(value) && isJson(value);

/** Any JSON: what a tool takes or gives, or what only another program reads. `description` says whose words it is in. */
export const anyJson = (description: string): z.ZodType<Json, Json> =>
  z
    .any()
    .refine((value) => isJson(value), { error: "expected a JSON value" })
    .describe(description);

/** Any JSON object. */
export const anyObject = (description: string): z.ZodType<JsonObject, JsonObject> =>
  z.record(z.string(), z.any()).refine(isJsonObject, { error: "expected JSON values" }).describe(description);
