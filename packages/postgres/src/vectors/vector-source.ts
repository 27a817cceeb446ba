import { type RawBuilder, sql } from "kysely";

/** A table whose rows are found by the meaning of their texts. Its columns have the same names in the view that is searched. */
export interface VectorSource {
  /** Name of the table with their vectors, in the schema `toolwright_vectors`. */
  readonly name: string;
  readonly table: string;
  /** Columns that name a row within its tenant. */
  readonly owner: string;
  readonly id: string;
  readonly idType: "text" | "int";
  /** The column that changes when the text does. */
  readonly mark: string;
  /** What is read of a row, `entry`: a text or a list of texts, as JSON, because a text of ours may hold characters that a text of PostgreSQL refuses. */
  readonly text: RawBuilder<unknown>;
  /** Announced with new rows, and which of their columns is told. */
  readonly topic: string;
  readonly announced: "owner" | "id";
  /** Who sees the vectors of an owner, beside the tenant; SQL. */
  readonly seenBy?: string;
  /** The setting of a transaction that names the one owner whose vectors a search compares; left out: a search compares those of all owners. */
  readonly searchedBy?: string;
}

export const memoryVectors: VectorSource = {
  ...{ name: "memories", table: "toolwright.memories", owner: "owner", id: "key", idType: "text", mark: "version" },
  ...{ topic: "memories", announced: "id" },
  text: sql`entry.content`,
  seenBy: "toolwright.is_memory_owner(owner)",
  searchedBy: "toolwright.memory_owner",
};

export const chunkVectors: VectorSource = {
  ...{ name: "chunks", table: "toolwright.chunks", owner: "document", id: "chunk", idType: "int", mark: "version" },
  ...{ topic: "documents", announced: "owner" },
  text: sql`json_build_array(entry.headings, entry.content)`,
};

export const vectorSources = [memoryVectors, chunkVectors];
export const vectorSchema = "toolwright_vectors";
export const vectorTable = ({ name }: VectorSource) => sql.table(`${vectorSchema}.${name}`);

/** Vectors that one search would compare, from which on it compares no longer all of them. */
export const mostVectors = 20_000;
