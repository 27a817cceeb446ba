import { isOn } from "./docx-styles.ts";
import { childOf, elementsOf, settingOf, type XmlElement } from "./xml.ts";

interface Field {
  instruction: string;
  /** What follows is its result, else its instruction. */
  isResult: boolean;
  /** Neither its instruction nor its result is shown. */
  readonly isHiding: boolean;
  readonly data: XmlElement | undefined;
  /** How many texts were shown before its result. */
  shownBefore: number;
  readonly link: string | undefined;
}

/** Kinds of fields that mark something and show nothing. */
const invisible = new Set([
  "XE",
  "TC",
  "TA",
  "RD",
  "SET",
  "ASK",
  "PRIVATE",
  "ADVANCE",
  "NEXT",
  "NEXTIF",
  "SKIPIF",
  "DATA",
  "BIDIOUTLINE",
  "TOC",
]);
/** Kinds whose state is in the data of the form. */
const controls = new Set(["FORMCHECKBOX", "FORMDROPDOWN"]);

/** The fields that a reader stands in: their instructions are no text, and their results are (ECMA-376, part 1, 17.16). */
export class DocxFields {
  readonly #open: Field[] = [];
  #hiding = 0;
  #shown = 0;
  /** Some field does not end: then nothing is taken for an instruction. */
  readonly #isBroken: boolean;

  constructor(isBroken: boolean) {
    this.#isBroken = isBroken;
  }

  /** Text here is part of an instruction. */
  get hides(): boolean {
    return this.#hiding > 0 && !this.#isBroken;
  }

  /** The address that the innermost link leads to. */
  get link(): string | undefined {
    return this.#open.at(-1)?.link;
  }

  /** Some text is shown. */
  show(): void {
    this.#shown += 1;
  }

  begin(data: XmlElement | undefined): void {
    this.#push({ instruction: "", isResult: false, isHiding: true, data, shownBefore: this.#shown, link: this.link });
  }

  instruct(text: string): void {
    const field = this.#open.at(-1);
    if (field && !field.isResult) field.instruction += text;
  }

  separate(): void {
    const field = this.#pop();
    if (!field) return;
    const link = addressOf(field.instruction) ?? field.link;
    this.#push({ ...field, isResult: true, isHiding: controls.has(kindOf(field)), shownBefore: this.#shown, link });
  }

  /** Ends the field. Returns the text that stands in for its result where the file holds none. */
  end(): string {
    const field = this.#pop();
    if (!field || this.hides) return "";
    const hasShown = field.isResult && this.#shown > field.shownBefore && !field.isHiding;
    return hasShown ? "" : describeField(field);
  }

  #push(field: Field): void {
    this.#open.push(field);
    if (field.isHiding) this.#hiding += 1;
  }

  #pop(): Field | undefined {
    const field = this.#open.pop();
    if (field?.isHiding) this.#hiding -= 1;
    return field;
  }
}

const kindOf = ({ instruction }: Pick<Field, "instruction">) => /^\s*(\S*)/.exec(instruction)?.[1]?.toUpperCase() ?? "";

function addressOf(instruction: string): string | undefined {
  if (kindOf({ instruction }) !== "HYPERLINK") return undefined;
  return /^\s*\S+\s+"([^"]*)"/.exec(instruction)?.[1] ?? /^\s*\S+\s+([^\s"\\]\S*)/.exec(instruction)?.[1];
}

function describeField(field: Pick<Field, "instruction" | "data">): string {
  const kind = kindOf(field);
  const { data } = field;
  if (kind === "FORMCHECKBOX") return checkBox(isTicked(childOf(data, "w:checkBox")));
  if (kind === "FORMDROPDOWN") return chosenOf(childOf(data, "w:ddList"));
  if (kind === "FORMTEXT") return settingOf(childOf(data, "w:textInput"), "w:default") ?? "[empty]";
  if (kind === "" || invisible.has(kind)) return "";
  const words = field.instruction.trim();
  if (kind === "MACROBUTTON" || kind === "GOTOBUTTON") return words.split(/\s+/).slice(2).join(" ");
  // What it says stands before its switches, except where it draws a formula.
  const said = kind === "EQ" ? words : (words.split("\\", 1)[0] ?? "").trim();
  return `[${said.replace(/\s+/g, " ")}]`;
}

export const checkBox = (isOn: boolean) => (isOn ? "[x]" : "[ ]");

/** `w:checked` wins over the state that the form began with. */
function isTicked(box: XmlElement | undefined): boolean {
  const state = childOf(box, "w:checked") ?? childOf(box, "w:default");
  return state !== undefined && isOn(state.attributes);
}

function chosenOf(list: XmlElement | undefined): string {
  const entries = (list ? elementsOf(list) : [])
    .filter(({ name }) => name === "w:listEntry")
    .map(({ attributes }) => attributes.get("w:val"));
  return entries[Number(settingOf(list, "w:result") ?? settingOf(list, "w:default") ?? 0)] ?? "[nothing chosen]";
}

/** A field of one element, with its result inside. Only what has no result needs words. */
export const describeSimpleField = (element: XmlElement) =>
  describeField({ instruction: element.attributes.get("w:instr") ?? "", data: childOf(element, "w:ffData") });

export const linkOfSimpleField = (element: XmlElement) => addressOf(element.attributes.get("w:instr") ?? "");

/** What it shows is in its data, whatever stands inside. */
export const isFormControl = (element: XmlElement) => controls.has(kindOf({ instruction: element.attributes.get("w:instr") ?? "" }));
