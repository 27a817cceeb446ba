import { readWhole } from "../../../html/readable-page.ts";
import type { Block, DocxDocument } from "./docx-document.ts";
import { DocxFields } from "./docx-fields.ts";
import { InlineReader, isDeletion, isInline, isSkipped, type Line, loseDeletion, tickOf } from "./docx-inline.ts";
import { type Relationship, textOfPart } from "./docx-parts.ts";
import { readRows, through, writeInnerTable, writeTable } from "./docx-table.ts";
import { escapeLines, type Piece, writePieces } from "./docx-text.ts";
import { childOf, elementsOf, emptyElement, findAll, settingOf, type XmlElement } from "./xml.ts";

/** Reads the text, a note, a comment or a header: whatever it does not know it passes through, so that no words are lost. */
export class StoryReader {
  readonly #document: DocxDocument;
  readonly #relationships: ReadonlyMap<string, Relationship>;
  readonly #inline: InlineReader;
  /** Words of paragraphs whose end a tracked change took away: they belong to the next one. */
  #carried: Piece[] = [];
  #depthOfTables = 0;

  constructor(document: DocxDocument, part: string, root: XmlElement) {
    this.#document = document;
    this.#relationships = document.parts.relationships(part);
    let open = 0;
    for (const { attributes } of findAll(root, "w:fldChar")) {
      const type = attributes.get("w:fldCharType");
      open += type === "begin" ? 1 : type === "end" ? -1 : 0;
    }
    const fields = new DocxFields(open !== 0);
    const readBlocks = (elements: readonly XmlElement[]) => this.readBlocks(elements);
    this.#inline = new InlineReader({ document, fields, readBlocks, relationships: this.#relationships });
  }

  readBlocks(elements: readonly XmlElement[]): readonly Block[] {
    return elements.flatMap((element) => this.#readBlock(element));
  }

  #readBlock(element: XmlElement): readonly Block[] {
    const { name } = element;
    if (name === "w:p") return this.#readParagraph(element);
    if (name === "w:tbl") return this.#readTable(element);
    if (name === "w:sdt") return this.#readControl(element);
    if (name === "w:altChunk") return this.#readChunk(element);
    if (name === "mc:AlternateContent") return this.#readAlternative(element);
    if (isDeletion(name)) return this.#loseDeletion();
    if (isInline(name)) return this.#readParagraph({ ...element, children: [element] });
    return isSkipped(name) ? [] : this.readBlocks(elementsOf(element));
  }

  #readParagraph(element: XmlElement): readonly Block[] {
    const properties = childOf(element, "w:pPr");
    const { styles, numbering } = this.#document;
    const { struck = false, hidden = false } = styles.lookOfStyle(settingOf(properties, "w:pStyle"));
    const line: Line = { pieces: this.#carried, boxes: [], pictures: 0 };
    this.#carried = [];
    this.#inline.read(elementsOf(element), { look: { struck, hidden }, link: undefined, line });
    if (childOf(childOf(properties, "w:rPr"), "w:del")) {
      this.#carried = line.pieces;
      return line.boxes;
    }
    const place = styles.listItem(properties, (num, style) => numbering.levelOfStyle(num, style));
    const label = place && numbering.count(place);
    const heading = styles.headingLevel(properties);
    this.#tellHidden(line.pieces);
    const words = writePieces(line.pieces, { emphasis: heading === undefined });
    const marked = [label?.isBullet && (heading !== undefined || words === "") ? "" : (label?.text ?? ""), words];
    const text = marked.filter((each) => each !== "").join(" ");
    if (text === "") return line.boxes;
    if (heading !== undefined) return [{ text: text.replace(/\s+/g, " "), heading }, ...line.boxes];
    if (label) return [{ text: `${"  ".repeat(label.level)}${text}`, isItem: true }, ...line.boxes];
    return [{ text: escapeLines(text) }, ...line.boxes];
  }

  #tellHidden(pieces: readonly Piece[]): void {
    const count = pieces.filter(({ look }, index) => look.hidden && !pieces[index - 1]?.look.hidden).length;
    if (count === 0) return;
    const what = "Words that Word does not show are marked [Hidden: ...]";
    this.#document.lose({ what, count, advice: "Do not take them for part of the text that people see." });
  }

  #readTable(element: XmlElement): readonly Block[] {
    const [row, ...otherRows] = through(element, "w:tr");
    const [cell, ...otherCells] = row && otherRows.length === 0 ? through(row, "w:tc") : [];
    // A frame around text is no table.
    if (cell && otherCells.length === 0) return this.readBlocks(elementsOf(cell));
    this.#depthOfTables += 1;
    const rows = readRows(element, { readCell: (each) => this.#readCell(each), deleted: () => void this.#loseDeletion() });
    this.#depthOfTables -= 1;
    if (rows.every((cells) => cells.every((text) => text.trim() === ""))) return [];
    return [{ text: this.#depthOfTables > 0 ? writeInnerTable(rows) : writeTable(rows) }];
  }

  #readCell(cell: XmlElement): string {
    return this.readBlocks(elementsOf(cell))
      .map(({ text }) => text)
      .join("\n");
  }

  /** A control of a form around paragraphs or tables. */
  #readControl(element: XmlElement): readonly Block[] {
    const properties = childOf(element, "w:sdtPr");
    const ticked = tickOf(properties);
    if (ticked !== undefined) return [{ text: ticked }];
    const blocks = this.readBlocks(elementsOf(childOf(element, "w:sdtContent") ?? emptyElement));
    return childOf(properties, "w:showingPlcHdr") ? blocks.map((block) => ({ ...block, text: `[empty: ${block.text}]` })) : blocks;
  }

  /** A whole document of another kind that Word takes in when it opens the file. */
  #readChunk({ attributes }: XmlElement): readonly Block[] {
    const { target = "" } = this.#relationships.get(attributes.get("r:id") ?? "") ?? {};
    const bytes = this.#document.parts.bytes(target);
    if (!bytes) {
      const what = "Documents that the file embeds in its text are left out";
      this.#document.lose({ what, count: 1, names: [target], advice: "Open the file in Word, save it, and read it again." });
      return [];
    }
    if (!this.#document.take(target)) return [];
    const text = textOfPart(bytes);
    return [{ text: /^\s*</.test(text) ? readWhole(text).markdown : escapeLines(text) }];
  }

  /** The newer form first, as Word does; the older one where that has no words. */
  #readAlternative(element: XmlElement): readonly Block[] {
    for (const branch of elementsOf(element)) {
      const blocks = this.readBlocks(elementsOf(branch));
      if (blocks.length > 0) return blocks;
    }
    return [];
  }

  #loseDeletion(): readonly Block[] {
    loseDeletion(this.#document);
    return [];
  }
}
