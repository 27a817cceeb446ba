import { readSymbol, readSymbols } from "../symbols.ts";
import type { Block, DocxDocument } from "./docx-document.ts";
import { checkBox, type DocxFields, describeSimpleField, isFormControl, linkOfSimpleField } from "./docx-fields.ts";
import { writeFormula } from "./docx-math.ts";
import type { Relationship } from "./docx-parts.ts";
import { isOn, type Look } from "./docx-styles.ts";
import { type Piece, writePieces } from "./docx-text.ts";
import { childOf, elementsOf, emptyElement, findAll, textOf, walk, type XmlElement } from "./xml.ts";

/** Where words go: into a paragraph, and text boxes behind it. */
export interface Line {
  readonly pieces: Piece[];
  readonly boxes: Block[];
  pictures: number;
}

/** Where words stand, and how they look. */
interface Site {
  readonly look: Look;
  readonly link: string | undefined;
  readonly line: Line;
}

interface InlineParts {
  readonly document: DocxDocument;
  readonly relationships: ReadonlyMap<string, Relationship>;
  readonly fields: DocxFields;
  readonly readBlocks: (elements: readonly XmlElement[]) => readonly Block[];
}

type ReadElement = (reader: InlineReader, element: XmlElement, site: Site) => void;

/** What stands within a paragraph. What it does not know it passes through. */
export class InlineReader {
  readonly parts: InlineParts;

  constructor(parts: InlineParts) {
    this.parts = parts;
  }

  read(elements: readonly XmlElement[], site: Site): void {
    for (const element of elements) {
      const read = readers.get(element.name);
      if (read) read(this, element, site);
      else if (isDeletion(element.name)) loseDeletion(this.parts.document);
      else if (!isSkipped(element.name)) this.read(elementsOf(element), site);
    }
  }

  say(text: string, { look, link, line }: Site): void {
    const { fields } = this.parts;
    if (fields.hides || text === "") return;
    fields.show();
    line.pieces.push({ text, look, link: link ?? fields.link });
  }

  /** What elements say by themselves. */
  textOf(elements: readonly XmlElement[], site: Site): string {
    const line: Line = { pieces: [], boxes: [], pictures: 0 };
    this.read(elements, { ...site, line });
    site.line.boxes.push(...line.boxes);
    site.line.pictures += line.pictures;
    return writePieces(line.pieces, { emphasis: false });
  }

  saySymbols({ text, unknown }: ReturnType<typeof readSymbols>, site: Site): void {
    if (unknown > 0)
      this.parts.document.lose({
        what: "Characters of a font of symbols cannot be read and are shown as \ufffd",
        ...{ count: unknown, names: [site.look.font ?? ""].filter((font) => font !== "") },
        advice: "Save the document as PDF and read its pages with images.",
      });
    this.say(text, site);
  }
}

const readers: ReadonlyMap<string, ReadElement> = new Map<string, ReadElement>([
  ["w:t", (reader, element, site) => reader.saySymbols(readSymbols(textOf(element), site.look.font ?? ""), site)],
  ["w:tab", (reader, _, site) => reader.say("\t", site)],
  ["w:ptab", (reader, _, site) => reader.say("\t", site)],
  ["w:br", (reader, _, site) => reader.say("\n", site)],
  ["w:cr", (reader, _, site) => reader.say("\n", site)],
  ["w:noBreakHyphen", (reader, _, site) => reader.say("\u2011", site)],
  ["w:instrText", ({ parts }, element) => parts.fields.instruct(textOf(element))],
  ["w:delInstrText", () => undefined],
  ["w:r", readRun],
  ["w:sym", readSym],
  ["w:fldChar", readFieldMark],
  ["w:fldSimple", readSimpleField],
  ["w:hyperlink", readHyperlink],
  ["w:sdt", readControl],
  ["w:ruby", readRuby],
  ["w:footnoteReference", (reader, element, site) => sayMark(reader, reader.parts.document.markOf("footnote", idOf(element)), site)],
  ["w:endnoteReference", (reader, element, site) => sayMark(reader, reader.parts.document.markOf("endnote", idOf(element)), site)],
  ["w:commentReference", (reader, element, site) => sayMark(reader, reader.parts.document.commentOf(idOf(element)), site)],
  ["w:drawing", readDrawing],
  ["w:pict", readDrawing],
  ["w:object", readObject],
  ["v:textpath", (reader, { attributes }, site) => reader.say(attributes.get("string") ?? "", site)],
  ["a:p", (reader, element, site) => reader.say(`${reader.textOf(elementsOf(element), site)} `, site)],
  ["a:t", (reader, element, site) => reader.say(textOf(element), site)],
  ["a:blip", (reader, { attributes }, site) => readPicture(reader, attributes.get("r:embed") ?? attributes.get("r:link"), site)],
  ["v:imagedata", (reader, { attributes }, site) => readPicture(reader, attributes.get("r:id"), site)],
  ["c:chart", (reader, element, site) => readFigure(reader, ["Chart", element.attributes.get("r:id")], site)],
  ["dgm:relIds", (reader, element, site) => readFigure(reader, ["Diagram", element.attributes.get("r:dm")], site)],
  ["mc:AlternateContent", readAlternative],
  ["m:oMath", (reader, element, site) => reader.say(writeFormula(element), site)],
  ["w:txbxContent", ({ parts }, element, { line }) => void line.boxes.push(...parts.readBlocks(elementsOf(element)))],
]);

/** Elements that stand within paragraphs: alone, they make one. */
export const isInline = (name: string) => readers.has(name) && !["mc:AlternateContent", "w:sdt", "w:txbxContent"].includes(name);

/** Words that a tracked change took away from here. */
export const isDeletion = (name: string) => name === "w:del" || name === "w:moveFrom";

const silent = new Set(["w:delText", "w:docPartObj", "w:fldData", "w:ffData", "w:rt", "w:bookmarkStart", "w:bookmarkEnd"]);

/** Properties, which hold no words. */
export const isSkipped = (name: string) => name.endsWith("Pr") || silent.has(name);

export function loseDeletion(document: DocxDocument): void {
  const what = "Words that a tracked change deleted are left out, and inserted ones are read";
  document.lose({ what, count: 1, advice: "Accept or reject the changes in Word where both versions matter." });
}

const idOf = ({ attributes }: XmlElement) => attributes.get("w:id") ?? "";

/** The mark of a note is raised in any case. */
const sayMark = (reader: InlineReader, mark: string, site: Site) => reader.say(mark, { ...site, look: {} });

function readRun(reader: InlineReader, element: XmlElement, site: Site): void {
  const look = { ...site.look, ...reader.parts.document.styles.look(childOf(element, "w:rPr")) };
  reader.read(elementsOf(element), { ...site, look });
}

function readSym(reader: InlineReader, { attributes }: XmlElement, site: Site): void {
  const font = attributes.get("w:font") ?? "";
  reader.saySymbols(readSymbol(font, attributes.get("w:char") ?? ""), { ...site, look: { ...site.look, font } });
}

function readFieldMark(reader: InlineReader, element: XmlElement, site: Site): void {
  const { fields } = reader.parts;
  const type = element.attributes.get("w:fldCharType");
  if (type === "begin") fields.begin(childOf(element, "w:ffData"));
  else if (type === "separate") fields.separate();
  else if (type === "end") reader.say(fields.end(), site);
}

function readSimpleField(reader: InlineReader, element: XmlElement, site: Site): void {
  const words = describeSimpleField(element);
  const before = site.line.pieces.length;
  if (!isFormControl(element)) reader.read(elementsOf(element), { ...site, link: linkOfSimpleField(element) ?? site.link });
  if (site.line.pieces.length === before) reader.say(words, site);
}

function readHyperlink(reader: InlineReader, element: XmlElement, site: Site): void {
  const { target, isOutside } = reader.parts.relationships.get(element.attributes.get("r:id") ?? "") ?? {};
  const anchor = element.attributes.get("w:anchor");
  const link = target === undefined || !isOutside ? undefined : anchor === undefined ? target : `${target.split("#", 1)[0]}#${anchor}`;
  reader.read(elementsOf(element), { ...site, link: link ?? site.link });
}

/** `[x]` or `[ ]` for a box, whichever glyph it shows. */
export function tickOf(properties: XmlElement | undefined): string | undefined {
  const box = elementsOf(properties ?? emptyElement).find(({ name }) => name.endsWith(":checkbox"));
  if (!box) return undefined;
  const state = elementsOf(box).find(({ name }) => name.endsWith(":checked"));
  return checkBox(state !== undefined && [...state.attributes.keys()].every((name) => isOn(state.attributes, name)));
}

function readControl(reader: InlineReader, element: XmlElement, site: Site): void {
  const properties = childOf(element, "w:sdtPr") ?? emptyElement;
  const content = elementsOf(childOf(element, "w:sdtContent") ?? emptyElement);
  const ticked = tickOf(properties);
  const before = site.line.pieces.length;
  if (ticked !== undefined) reader.say(ticked, site);
  else if (childOf(properties, "w:showingPlcHdr")) reader.say(`[empty: ${reader.textOf(content, site)}]`, site);
  else reader.read(content, site);
  if (site.line.pieces.length === before) reader.say(chosenOf(properties), site);
}

/** The words of the choice that a list remembers, for a producer that leaves its content empty. */
function chosenOf(properties: XmlElement): string {
  const list = childOf(properties, "w:dropDownList") ?? childOf(properties, "w:comboBox");
  const last = list?.attributes.get("w:lastValue");
  const item = elementsOf(list ?? emptyElement).find(({ attributes }) => attributes.get("w:value") === last);
  return last === undefined ? "" : (item?.attributes.get("w:displayText") ?? last);
}

/** The base, with its reading behind it in brackets. */
function readRuby(reader: InlineReader, element: XmlElement, site: Site): void {
  reader.read(elementsOf(childOf(element, "w:rubyBase") ?? emptyElement), site);
  const reading = reader.textOf(elementsOf(childOf(element, "w:rt") ?? emptyElement), site);
  if (reading !== "") reader.say(`(${reading})`, site);
}

/** The newer form first, as Word does; the older one where that shows nothing. */
function readAlternative(reader: InlineReader, element: XmlElement, site: Site): void {
  const { line } = site;
  const shown = () => line.pieces.length + line.boxes.length + line.pictures;
  const before = shown();
  for (const branch of elementsOf(element)) {
    if (shown() > before) return;
    reader.read(elementsOf(branch), site);
  }
}

/** A picture, shape or text box: its description, and what is in it. */
function readDrawing(reader: InlineReader, element: XmlElement, site: Site): void {
  const { line } = site;
  const alt = descriptionOf(element);
  if (alt !== "") reader.say(`[Image: ${alt}]`, site);
  const before = line.pictures;
  reader.read(elementsOf(element), site);
  const undescribed = line.pictures - before;
  if (undescribed === 0 || alt !== "") return;
  const what = "Pictures without a description are not in the text";
  reader.parts.document.lose({ what, count: undescribed, advice: "Read the document with images to see them." });
}

/** Drawings within a drawing have descriptions of their own. */
const inner = new Set(["w:txbxContent", "w:drawing", "w:pict", "w:object"]);
const described = new Set(["wp:docPr", "v:shape", "v:imagedata"]);

function descriptionOf(element: XmlElement): string {
  for (const { name, attributes } of walk(element, (each) => each === element || !inner.has(each.name))) {
    if (!described.has(name)) continue;
    const found = attributes.get("descr") ?? attributes.get("alt") ?? attributes.get("o:title") ?? attributes.get("title") ?? "";
    if (found.trim() !== "") return found.replace(/\s+/g, " ").trim();
  }
  return "";
}

function readPicture(reader: InlineReader, id: string | undefined, { line }: Site): void {
  const { document, relationships } = reader.parts;
  line.pictures += 1;
  const found = relationships.get(id ?? "");
  if (found && !found.isOutside) document.showPicture(found.target);
}

/** A file of another program within the text, shown by a picture. */
function readObject(reader: InlineReader, element: XmlElement, site: Site): void {
  const [embedded] = findAll(element, "o:OLEObject");
  const program = embedded?.attributes.get("ProgID");
  if (program !== undefined) reader.say(`[Embedded: ${program}]`, site);
  readDrawing(reader, element, site);
}

/** The words and numbers of a chart or diagram, in the order of its part. */
function readFigure(reader: InlineReader, [what, id]: readonly [what: string, id: string | undefined], site: Site): void {
  const { document, relationships } = reader.parts;
  const { target } = relationships.get(id ?? "") ?? {};
  const root = target !== undefined && document.take(target) ? document.parts.xml(target) : undefined;
  if (!root) return;
  const paragraphs = [""];
  for (const each of walk(root, () => true)) {
    if (each.name === "a:p" || each.name === "c:v") paragraphs.push("");
    if (each.name === "a:t" || each.name === "c:v") paragraphs.push(`${paragraphs.pop()}${textOf(each)}`);
  }
  reader.say(`[${what}: ${paragraphs.filter((text) => text.trim() !== "").join("; ")}]`, site);
}
