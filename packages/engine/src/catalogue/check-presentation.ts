import { z } from "zod";
import { ToolwrightError } from "../contract/errors.ts";
import { isPlainObject, type Json, type JsonObject } from "../contract/json.ts";
import type { AnyTool } from "../tool/define-tool.ts";

const text = z.string().min(1).max(200);
const presentationSchema = z.strictObject({
  icon: text.optional(),
  category: text.optional(),
  form: z
    .record(
      z.string(),
      z.strictObject({
        label: text.optional(),
        placeholder: text.optional(),
        widget: z.enum(["text", "textarea", "code", "password", "select", "checkbox", "file"]).optional(),
        advanced: z.boolean().optional(),
      }),
    )
    .optional(),
  sections: z.array(z.strictObject({ title: text, fields: z.array(z.string()) })).optional(),
});

/** Throws `definition_invalid` where the presentation has another shape, or names a member that the input schema does not have. */
export function checkPresentation({ name, presentation }: AnyTool, input: JsonObject): void {
  if (presentation === undefined) return;
  const invalid = (problem: string) => new ToolwrightError("definition_invalid", `Tool "${name}", presentation: ${problem}`);
  const parsed = presentationSchema.safeParse(presentation);
  if (!parsed.success) {
    const { path, message } = parsed.error.issues[0]!;
    throw invalid(`/${path.join("/")}: ${message}.`);
  }
  const members = new Set(membersOf(input));
  const { form = {}, sections = [] } = parsed.data;
  const named = [...Object.keys(form), ...sections.flatMap(({ fields }) => fields)];
  const unknown = named.find((member) => !members.has(member));
  if (unknown !== undefined)
    throw invalid(`the input has no member ${JSON.stringify(unknown)}. Its members: ${[...members].join(", ") || "none"}.`);
  const inSections = sections.flatMap(({ fields }) => fields);
  const twice = inSections.find((member, index) => inSections.indexOf(member) !== index);
  if (twice !== undefined) throw invalid(`${JSON.stringify(twice)} stands in two sections. Name it in one.`);
}

/** Names of the members at the top, of every branch where the schema is a union. */
function membersOf(schema: Json | undefined): readonly string[] {
  if (!isPlainObject(schema)) return [];
  const { properties, anyOf, oneOf } = schema as JsonObject;
  const branches = [anyOf, oneOf].flatMap((options) => (Array.isArray(options) ? options : []));
  return [...(isPlainObject(properties) ? Object.keys(properties) : []), ...branches.flatMap(membersOf)];
}
