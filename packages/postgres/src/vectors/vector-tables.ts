import { type VectorSource, vectorSchema } from "./vector-source.ts";

/** Statements that make the table of a source, with the extension in `schema`; as `toolwright.protect_table` does it for tables of its schema. */
export function makeVectorTable({ name, table, owner, id, idType, seenBy }: VectorSource, schema: string): readonly string[] {
  const own = `${vectorSchema}.${name}`;
  const isOwn = "tenant = toolwright.current_tenant()";
  return [
    // The extension takes its column along when it is dropped.
    `DROP TABLE IF EXISTS ${own}`,
    `CREATE TABLE ${own} (tenant text NOT NULL, owner text NOT NULL, id ${idType} NOT NULL, mark int NOT NULL, model text NOT NULL,
      embedding ${quoted(schema)}.halfvec NOT NULL,
      signs bit varying GENERATED ALWAYS AS (${quoted(schema)}.binary_quantize(embedding)) STORED, PRIMARY KEY (tenant, owner, id),
      FOREIGN KEY (tenant, owner, id) REFERENCES ${table} (tenant, ${owner}, ${id}) ON DELETE CASCADE)`,
    `ALTER TABLE ${own} ENABLE ROW LEVEL SECURITY`,
    `ALTER TABLE ${own} FORCE ROW LEVEL SECURITY`,
    `CREATE POLICY own_tenant ON ${own} TO toolwright_tenant USING (${isOwn}) WITH CHECK (${isOwn})`,
    `CREATE POLICY every_tenant ON ${own} TO toolwright_system USING (true) WITH CHECK (true)`,
    ...(seenBy ? [`CREATE POLICY own_${name} ON ${own} AS RESTRICTIVE TO toolwright_tenant USING (${seenBy}) WITH CHECK (${seenBy})`] : []),
    `GRANT SELECT, INSERT, UPDATE, DELETE ON ${own} TO toolwright_tenant, toolwright_system`,
  ];
}

/** A name of PostgreSQL as it stands in a statement. */
export const quoted = (name: string) => `"${name.replaceAll('"', '""')}"`;
