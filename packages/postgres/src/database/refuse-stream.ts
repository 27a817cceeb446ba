/** The `streamQuery` of a connection whose queries give all rows at once. */
// biome-ignore lint/correctness/useYield: the interface of Kysely wants a generator.
export async function* refuseStream(): AsyncGenerator<never> {
  throw new Error("Queries do not stream; read in pages.");
}
