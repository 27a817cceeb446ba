const notes = ["id", "cat", "expect", "why", "tags", "source", "verified", "note", "line"];

/** Throws when an object of a corpus has a field that its judge would pass over in silence. */
export function requireKnownFields(object: object, known: readonly string[], what = "case"): void {
  const unknown = Object.keys(object).find((name) => !known.includes(name) && !(what === "case" && notes.includes(name)));
  if (unknown !== undefined) throw new Error(`The ${what} has a field that is not known here: ${unknown}. Known: ${known.join(", ")}.`);
}
