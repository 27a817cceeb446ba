/** Where a passage stands, as people cite: `Handbook.pdf, page 12 (Refunds)`. */
export function citeOf(passage: {
  readonly title: string;
  readonly page?: number | undefined;
  readonly headings: readonly string[];
  readonly lines?: readonly [from: number, to: number] | undefined;
}): string {
  const { title, page, headings, lines } = passage;
  const place =
    page !== undefined
      ? `, page ${page}`
      : lines
        ? `, ${lines[0] === lines[1] ? `line ${lines[0]}` : `lines ${lines[0]}-${lines[1]}`}`
        : "";
  const under = headings.filter((heading) => heading !== title).join(" › ");
  return `${title}${place}${under ? ` (${under})` : ""}`;
}
