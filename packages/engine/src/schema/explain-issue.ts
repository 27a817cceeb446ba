import type { z } from "zod";

const names = new Map<string, string>([
  ["string", "a string"],
  ["number", "a number"],
  ["int", "a whole number"],
  ["boolean", "true or false"],
  ["object", "an object"],
  ["record", "an object"],
  ["array", "an array"],
  ["tuple", "an array"],
  ["null", "null"],
  ["never", "nothing"],
]);

/** What Zod expected, in words: `a whole number`. */
export const nameType = (expected: string): string => names.get(expected) ?? expected;

/** A value in words, short enough for a message: `a number (3)`. */
function nameValue(value: unknown): string {
  if (value === null) return "null";
  if (value === undefined) return "nothing";
  if (Array.isArray(value)) return `an array of ${value.length}`;
  if (typeof value === "object") return "an object";
  if (typeof value === "string") return `the text ${JSON.stringify(value.length > 40 ? `${value.slice(0, 40)}…` : value)}`;
  return `a ${typeof value} (${String(value)})`;
}

const list = (values: readonly unknown[]) => {
  const shown = values.slice(0, 20).map((value) => (typeof value === "string" ? JSON.stringify(value) : String(value)));
  return `${shown.join(", ")}${values.length > shown.length ? ` and ${values.length - shown.length} more` : ""}`;
};

/** The sentence for one issue, unless the author of the schema wrote one. */
export const explainIssue: z.core.$ZodErrorMap = (issue) => {
  const { input } = issue;
  switch (issue.code) {
    case "invalid_type":
      return explainType(nameType(isWhole(issue) ? "int" : issue.expected), input);
    case "invalid_value":
      return explainChoice(issue.values, input);
    case "too_small":
      return explainBound(issue.origin, `at least ${issue.minimum}`, `more than ${issue.minimum}`, issue);
    case "too_big":
      return explainBound(issue.origin, `at most ${issue.maximum}`, `less than ${issue.maximum}`, issue);
    case "not_multiple_of":
      return expectation(`a multiple of ${issue.divisor}`, input);
    case "invalid_format":
      return expectation(issue.format === "regex" ? `text that matches ${issue.pattern}` : `text in the form "${issue.format}"`, input);
    case "invalid_union":
      return explainUnion(issue);
    default:
      return "the value does not pass a check of this tool";
  }
};

/** Zod says "number" of a whole number that is not one at all. */
function isWhole(issue: z.core.$ZodRawIssue): boolean {
  const format = (issue.inst?._zod.def as { format?: unknown } | undefined)?.format;
  return issue.code === "invalid_type" && issue.expected === "number" && typeof format === "string" && format.includes("int");
}

function explainType(wanted: string, input: unknown): string {
  return input === undefined ? `missing: expected ${wanted}` : expectation(wanted, input);
}

const expectation = (wanted: string, input: unknown) => `expected ${wanted}, got ${nameValue(input)}`;

function explainChoice(values: readonly unknown[], input: unknown): string {
  return explainType(values.length === 1 ? list(values) : `one of ${list(values)}`, input);
}

interface Bound {
  readonly inclusive?: boolean | undefined;
  readonly input?: unknown;
}

function explainBound(origin: string, inclusive: string, exclusive: string, issue: Bound): string {
  const wanted = issue.inclusive === false ? exclusive : inclusive;
  const { input } = issue;
  const things = (name: string) => `expected ${wanted} ${/\b1$/.test(wanted) ? name : `${name}s`}`;
  if (typeof input === "string") return `${things("character")}, got ${input.length}`;
  if (Array.isArray(input)) return `${things("item")}, got ${input.length}`;
  return origin === "object" ? things("member") : `expected ${wanted}, got ${String(input)}`;
}

function explainUnion(issue: Parameters<typeof explainIssue>[0] & { readonly code: "invalid_union" }): string {
  const { discriminator, options } = issue as { discriminator?: string; options?: readonly unknown[] };
  if (discriminator !== undefined && options !== undefined) {
    const record = issue.input as Record<string, unknown> | undefined;
    return explainChoice(options, record && Object.hasOwn(record, discriminator) ? record[discriminator] : undefined);
  }
  return `${nameValue(issue.input)} fits none of the accepted forms`;
}
