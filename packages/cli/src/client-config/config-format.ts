/** Members of a configuration, or of an entry of one. */
export type Members = Readonly<Record<string, unknown>>;

/** How a client's configuration file is written. What an edit does not change stays byte for byte, comments too. */
export interface ConfigFormat {
  /** Throws ConfigSyntaxError for a text that the client could not read either. */
  parse(text: string): unknown;
  /** The text with that member of that section; undefined takes the member out, and a section that is empty then if asked to. */
  edit(text: string, change: ConfigEdit): string;
}

export interface ConfigEdit {
  readonly section: string;
  readonly name: string;
  readonly entry: Members | readonly unknown[] | undefined;
  /** True takes a section out that has no other member. */
  readonly dropEmpty?: boolean;
}

/** The text breaks the rules of its format, at a place that counts from 1. */
export class ConfigSyntaxError extends Error {
  readonly line: number;
  readonly column: number;

  constructor(what: string, { line, column }: { readonly line: number; readonly column: number }) {
    super(`${what} in line ${line}, column ${column}`);
    this.name = "ConfigSyntaxError";
    this.line = line;
    this.column = column;
  }
}

export function isMembers(value: unknown): value is Members {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
