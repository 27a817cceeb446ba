const words = new Intl.Collator("en", { numeric: true });

/** A copy in order; rows without a value come last, whichever way it goes. */
export function sortRows<Row>(
  rows: readonly Row[],
  by: ((row: Row) => string | number | undefined) | undefined,
  isDown: boolean,
): readonly Row[] {
  if (!by) return rows;
  return [...rows].sort((one, other) => {
    const [a, b] = [by(one), by(other)];
    if (a === undefined || b === undefined) return Number(a === undefined) - Number(b === undefined);
    const order = typeof a === "number" && typeof b === "number" ? a - b : words.compare(String(a), String(b));
    return isDown ? -order : order;
  });
}
