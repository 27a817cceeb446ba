const fixes = new Map<string, string>([
  ["bigint", "Use z.int(), or z.string().regex(/^\\d+$/) for numbers beyond 2^53."],
  ["date", "Use z.iso.datetime() or z.iso.date(), and make the Date inside `run`."],
  ["map", "Use z.array(z.object({ key: z.string(), value: ... }))."],
  ["set", "Use z.array(...) and remove duplicates inside `run`."],
  ["symbol", "Use z.enum([...])."],
  ["undefined", "Leave the member out, or use .nullish()."],
  ["void", "Use z.object({}) for nothing."],
  ["nan", "Use z.number().nullable(), with null for no number."],
  ["transform", "Convert inside `run`, and describe the result with a plain schema."],
  ["function", "A tool takes and gives data only: leave the function out."],
  ["promise", "Await inside `run`; describe the awaited value."],
  ["file", "Take a path in the workspace, or use ctx.attachments and ctx.artifacts."],
  ["custom", "Use a plain schema with .refine(...)."],
  ["literal", "Use only strings, numbers, booleans and null as literals."],
]);

/** What to write instead of a Zod schema that JSON cannot carry. */
export function fixForKind(kind: string): string {
  return fixes.get(kind) ?? "Use strings, numbers, booleans, arrays and objects only.";
}
