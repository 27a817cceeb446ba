import { isPlainObject } from "../contract/json.ts";

/** One change to an input, at a place. */
export interface Edit {
  readonly path: readonly PropertyKey[];
  /** Absent when the member is dropped. */
  readonly replacement?: { readonly value: unknown };
  readonly what: string;
}

/** Applies an edit to a copy; only the containers on the way are copied, so the caller's input stays as it is. */
export function applyEdit(value: unknown, edit: Edit, depth = 0): unknown {
  const key = edit.path[depth];
  if (key === undefined) return edit.replacement?.value;
  const last = depth === edit.path.length - 1;
  if (Array.isArray(value)) return value.map((item, index) => (index === key ? applyEdit(item, edit, depth + 1) : item));
  if (!isPlainObject(value)) return value;
  const entries = Object.entries(value);
  // fromEntries defines own members, so a `__proto__` key stays data.
  return Object.fromEntries(
    last && !edit.replacement
      ? entries.filter(([name]) => name !== key)
      : entries.map(([name, item]) => [name, name === key ? applyEdit(item, edit, depth + 1) : item]),
  );
}

/** The number that a text is, written as JSON writes numbers and without loss of digits. */
export function readNumber(text: string): number | undefined {
  if (!/^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/.test(text)) return undefined;
  const digits = text.split(/[eE]/, 1)[0]!.replaceAll(/[-.]/g, "").replace(/^0+/, "");
  const value = Number(text);
  // An IEEE 754 double keeps any 15 significant digits.
  return Number.isFinite(value) && digits.length <= 15 && (value !== 0 || digits === "") ? value : undefined;
}

/** The object or array that a text is, as JSON. */
export function readContainer(text: string, kind: "object" | "array"): object | undefined {
  if (!/^\s*[[{]/.test(text)) return undefined;
  try {
    const value: unknown = JSON.parse(text);
    return (kind === "array" ? Array.isArray(value) : isPlainObject(value)) ? (value as object) : undefined;
  } catch {
    return undefined;
  }
}
