export type Json = null | boolean | number | string | readonly Json[] | { readonly [name: string]: Json };

/** What forms read of a schema (JSON Schema 2020-12). */
export interface JsonSchema {
  readonly type?: string | readonly string[] | undefined;
  readonly title?: string | undefined;
  readonly description?: string | undefined;
  readonly default?: Json | undefined;
  readonly const?: Json;
  readonly enum?: readonly Json[] | undefined;
  readonly format?: string | undefined;
  readonly contentEncoding?: string | undefined;
  readonly writeOnly?: boolean | undefined;
  /** Lists and histories hold its length alone. */
  readonly sensitive?: boolean | undefined;
  readonly maxLength?: number | undefined;
  readonly minimum?: number | undefined;
  readonly maximum?: number | undefined;
  readonly minItems?: number | undefined;
  readonly uniqueItems?: boolean | undefined;
  readonly properties?: Readonly<Record<string, JsonSchema>> | undefined;
  readonly additionalProperties?: JsonSchema | boolean | undefined;
  readonly patternProperties?: Readonly<Record<string, JsonSchema>> | undefined;
  readonly required?: readonly string[] | undefined;
  readonly items?: JsonSchema | boolean | undefined;
  readonly prefixItems?: readonly JsonSchema[] | undefined;
  readonly oneOf?: readonly (JsonSchema | boolean)[] | undefined;
  readonly anyOf?: readonly (JsonSchema | boolean)[] | undefined;
  readonly allOf?: readonly (JsonSchema | boolean)[] | undefined;
  readonly not?: JsonSchema | boolean | undefined;
  readonly $ref?: string | undefined;
  readonly $defs?: Readonly<Record<string, JsonSchema>> | undefined;
}
