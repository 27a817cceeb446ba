/** How a value is shown. */
export type Shape =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "markdown"; readonly text: string }
  | { readonly kind: "table"; readonly columns: readonly string[]; readonly rows: readonly Row[] }
  | { readonly kind: "members"; readonly members: readonly (readonly [name: string, value: unknown])[] }
  | { readonly kind: "list"; readonly items: readonly unknown[] }
  | { readonly kind: "nothing" };

export type Row = Readonly<Record<string, unknown>>;

interface OutputSchema {
  readonly contentMediaType?: string;
}

const isObject = (value: unknown): value is Row => typeof value === "object" && value !== null && !Array.isArray(value);

/** The shape that people read best; JSON stays one press away. */
export function shapeOf(value: unknown, schema: OutputSchema = {}): Shape {
  if (value === undefined || value === null) return { kind: "nothing" };
  if (typeof value === "string") return shapeOfText(value, schema.contentMediaType);
  if (typeof value !== "object") return { kind: "text", text: String(value) };
  if (Array.isArray(value)) {
    const columns = value.every(isObject) ? columnsOf(value) : [];
    if (columns.length > 0) return { kind: "table", columns, rows: value };
    return { kind: "list", items: value };
  }
  return { kind: "members", members: Object.entries(value) };
}

function shapeOfText(text: string, mediaType: string | undefined): Shape {
  if (mediaType === "text/markdown") return { kind: "markdown", text };
  if (mediaType !== "application/json") return { kind: "text", text };
  try {
    return shapeOf(JSON.parse(text));
  } catch {
    // A long one was cut.
    return { kind: "text", text };
  }
}

/** Every name that a row has, in the order of their first coming. */
export function columnsOf(rows: readonly Row[]): readonly string[] {
  return [...new Set(rows.flatMap((row) => Object.keys(row)))];
}

/** One line for a cell. */
export function cellText(value: unknown): string {
  if (value === undefined || value === null) return "";
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}

/** Numbers by their size, everything else by its text. */
export function sortRows(rows: readonly Row[], column: string, direction: "up" | "down"): readonly Row[] {
  const sign = direction === "up" ? 1 : -1;
  return [...rows].sort((a, b) => {
    const [one, other] = [a[column], b[column]];
    if (typeof one === "number" && typeof other === "number") return sign * (one - other);
    return sign * cellText(one).localeCompare(cellText(other), "en", { numeric: true });
  });
}

/** Cells that a spreadsheet would run as a formula (OWASP, CSV injection). */
const formula = /^[=+\-@\t\r]/;

/** RFC 4180. A number stays one; a text that would be a formula gets an apostrophe. */
export function toCsv(columns: readonly string[], rows: readonly Row[]): string {
  const cell = (value: unknown) => {
    const text = cellText(value);
    const safe = typeof value !== "number" && formula.test(text) ? `'${text}` : text;
    return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
  };
  return `${[columns, ...rows.map((row) => columns.map((column) => row[column]))].map((line) => line.map(cell).join(",")).join("\r\n")}\r\n`;
}
