/** Where a passage stands, as people cite: `Handbook.pdf, page 12 (Refunds)`. */
export function citeOf(passage: {
  readonly title: string;
  readonly page?: number | undefined;
  readonly cell?: number | undefined;
  readonly headings: readonly string[];
  readonly lines?: readonly [from: number, to: number] | undefined;
}): string {
  const { title, page, cell, headings, lines } = passage;
  const place = page !== undefined ? `, page ${page}` : cell !== undefined ? `, cell ${cell}` : lines ? `, ${nameLines(lines)}` : "";
  const under = headings.filter((heading) => heading !== title).join(" › ");
  return `${title}${place}${under ? ` (${under})` : ""}`;
}

const nameLines = ([from, to]: readonly [number, number]) => (from === to ? `line ${from}` : `lines ${from}-${to}`);
