import type { PDFPage } from "./pdf-images.ts";

/** What PDF.js knows of an annotation (ISO 32000-1, 12.5): a field of a form, or words that somebody put on the page. */
interface Annotation {
  readonly subtype?: string;
  readonly hidden?: boolean;
  readonly fieldName?: string;
  readonly alternativeText?: string;
  readonly fieldValue?: unknown;
  readonly radioButton?: boolean;
  readonly checkBox?: boolean;
  readonly pushButton?: boolean;
  readonly buttonValue?: unknown;
  readonly exportValue?: unknown;
  readonly password?: boolean;
  readonly contentsObj?: { readonly str?: string };
}

/** The values of the fields of a form, a line for each, and then the notes that are written on the page. */
export async function writtenOnPage(page: PDFPage): Promise<readonly string[]> {
  const annotations: readonly Annotation[] = await page.getAnnotations();
  const values = annotations.filter(({ subtype, hidden, password }) => subtype === "Widget" && !hidden && !password).flatMap(readField);
  const notes = annotations.filter(({ subtype }) => subtype === "FreeText").map(({ contentsObj }) => contentsObj?.str ?? "");
  return [values.join("\n"), ...notes];
}

function readField(field: Annotation): readonly string[] {
  const { fieldName = "", alternativeText = "", fieldValue, radioButton, checkBox, pushButton, buttonValue, exportValue } = field;
  const own = radioButton ? buttonValue : exportValue;
  const isButton = radioButton || checkBox;
  if (pushButton || (isButton && fieldValue !== own)) return [];
  const values = (Array.isArray(fieldValue) ? fieldValue : [fieldValue]).filter((value) => typeof value === "string" && value !== "");
  return values.length === 0 ? [] : [`${alternativeText || fieldName}: ${values.join(", ")}`];
}
