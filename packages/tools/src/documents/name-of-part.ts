/** Which page or cell something stands on; undefined where a document has neither. */
export function nameOfPart({ page, cell }: { readonly page?: number | null; readonly cell?: number | null }): string | undefined {
  if (page != null) return `page ${page}`;
  return cell == null ? undefined : `cell ${cell}`;
}
