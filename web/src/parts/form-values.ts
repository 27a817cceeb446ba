import { RequestError } from "../api/client.ts";
import { wordsOf } from "../api/words.ts";
import { partsOf } from "../form/error-schema.ts";

export interface Field {
  readonly name: string;
  readonly label: string;
  readonly help?: string;
  readonly optional?: boolean;
  /** What holds while it is empty. */
  readonly placeholder?: string;
  /** Fields of one group are folded under its name, where none says anything. */
  readonly group?: string;
  /** `lines` is a list, one a line. Default `text`. */
  readonly kind?: "text" | "number" | "secret" | "lines" | "long" | "choice" | "yes";
  readonly choices?: readonly string[];
  readonly value?: string | boolean;
}

export type Values = Readonly<Record<string, string | boolean>>;

export const textOf = (values: Values, name: string): string => String(values[name] ?? "").trim();

/** What is left empty is not said. */
export const textOr = (values: Values, name: string): string | undefined => textOf(values, name) || undefined;

export const linesOf = (values: Values, name: string): string[] =>
  textOf(values, name)
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "");

/** The words of a refusal by field; `""` is for what belongs beside none of them. */
export function faultsOf(error: unknown, fields: readonly Field[]): ReadonlyMap<string, string> {
  const issues = error instanceof RequestError ? error.issues : [];
  if (issues.length === 0) return new Map([["", wordsOf(error)]]);
  const found = new Map<string, string>();
  for (const { pointer, message } of issues) {
    const place = partsOf(pointer).find((part) => fields.some(({ name }) => name === part)) ?? "";
    const before = found.get(place);
    found.set(place, before === undefined ? message : `${before} ${message}`);
  }
  return found;
}
