import { z } from "zod";

type AnySchema = z.core.$ZodType;

interface CopiedSchema {
  readonly schema: z.ZodType;
  /** Descriptions and titles of the copy. Ids and anchors are left out, so that only recursion makes a `$ref`. */
  readonly metadata: Metadata;
  /** Metadata with both kinds; each id makes a definition. */
  readonly identified: Metadata;
}

export type Metadata = z.core.$ZodRegistry<Record<string, unknown>>;

/**
 * Copies a Zod schema with its checks. With `closed`, every object that would strip unknown members refuses them,
 * so that Zod itself picks the right union branch and names the place of a mistyped member.
 */
export function copySchema(original: z.ZodType, options: { readonly closed: boolean }): CopiedSchema {
  const metadata: Metadata = z.registry();
  const identified: Metadata = z.registry();
  const copies = new Map<AnySchema, AnySchema>();
  const never = z.never();
  const recursive = isRecursive(original);

  const copy = <Schema extends AnySchema>(schema: Schema): Schema => {
    const known = copies.get(schema);
    if (known) return known as Schema;
    const made = remake(schema) as Schema;
    copies.set(schema, made);
    const all = (z.globalRegistry.get(schema) ?? {}) as Record<string, unknown>;
    const { id: _, $anchor: __, ...rest } = all;
    metadata.add(made, rest);
    identified.add(made, all);
    return made;
  };

  const remake = (schema: AnySchema): AnySchema => {
    const def = (schema as z.core.$ZodTypes)._zod.def;
    const withDef = (changed: object) => z.core.clone(schema, changed as z.core.$ZodTypeDef);
    switch (def.type) {
      case "object": {
        const copyShape = () => Object.fromEntries(Object.keys(def.shape).map((key) => [key, copy(def.shape[key]!)]));
        const catchall = def.catchall ? copy(def.catchall) : options.closed ? never : undefined;
        if (!recursive) return withDef({ ...def, shape: copyShape(), catchall });
        return withDef({
          ...def,
          // Read on first use: a recursive shape refers to the schema that is being copied.
          get shape() {
            return copyShape();
          },
          catchall,
        });
      }
      case "array":
        return withDef({ ...def, element: copy(def.element) });
      case "tuple":
        return withDef({ ...def, items: def.items.map(copy), rest: def.rest && copy(def.rest) });
      case "record":
        return withDef({ ...def, valueType: copy(def.valueType) });
      case "union":
        return withDef({ ...def, options: def.options.map(copy) });
      case "intersection":
        return withDef({ ...def, left: copy(def.left), right: copy(def.right) });
      case "optional":
      case "nullable":
      case "default":
      case "prefault":
      case "catch":
      case "readonly":
      case "nonoptional":
        return withDef({ ...def, innerType: copy(def.innerType) });
      case "pipe":
        return withDef({ ...def, in: copy(def.in), out: copy(def.out) });
      case "lazy":
        return withDef({ type: "lazy", checks: def.checks, error: def.error, getter: () => copy(def.getter()) });
      default:
        return schema;
    }
  };

  return { schema: copy(original), metadata, identified };
}

/** Zod takes a shape that is read on first use for a recursive one and then remembers every value it parses: that is only for those that are. */
function isRecursive(schema: AnySchema, above: ReadonlySet<AnySchema> = new Set()): boolean {
  if (above.has(schema)) return true;
  const def = (schema as z.core.$ZodTypes)._zod.def;
  if (def.type === "lazy") return true;
  const path = new Set(above).add(schema);
  return childrenOf(def).some((child) => child != null && isRecursive(child, path));
}

function childrenOf(def: z.core.$ZodTypes["_zod"]["def"]): readonly (AnySchema | null | undefined)[] {
  switch (def.type) {
    case "object":
      return [...Object.values(def.shape), def.catchall];
    case "array":
      return [def.element];
    case "tuple":
      return [...def.items, def.rest];
    case "record":
      return [def.valueType];
    case "union":
      return def.options;
    case "intersection":
      return [def.left, def.right];
    case "optional":
    case "nullable":
    case "default":
    case "prefault":
    case "catch":
    case "readonly":
    case "nonoptional":
      return [def.innerType];
    case "pipe":
      return [def.in, def.out];
    default:
      return [];
  }
}
