import { findElement, isNamed, makeText, type PageElement, type PageNode, textOf } from "./page-tree.ts";

/** Characters before a mark that say what it belongs to. */
const longestBase = 40;

/**
 * Tells apart what stands above a line: notes become ` [1]`, powers `^2`, endings of ordinals stay. What follows words, sentences or numbers and counts
 * on from 1 is a note.
 */
export class ScriptMarks {
  #before = "";
  /** The highest number of a note so far. */
  #notes = 0;

  /** Takes note of text that stands before what follows. */
  pass(text: string): void {
    this.#before = `${this.#before}${text.slice(-longestBase)}`.slice(-longestBase);
  }

  raise(sup: PageElement, children: readonly PageNode[]): readonly PageNode[] {
    const text = children.map(textOf).join("").trim();
    // The text of the mark itself was passed as the last.
    const base = this.#before.slice(0, Math.max(0, this.#before.length - text.length)).trimEnd();
    if (text === "" || /^[[(].*[\])]$/s.test(text) || /^(?:\W|TM|SM)$/i.test(text)) return children;
    if (/\d$/.test(base) && /^(?:st|nd|rd|th)$/i.test(text)) return children;
    const hasLink = findElement(sup, (each) => isNamed(each, "a")) !== undefined;
    if (hasLink || this.#isNote(text, base)) return [makeText(" ["), ...children, makeText("]")];
    return marked("^", text, children);
  }

  lower(children: readonly PageNode[]): readonly PageNode[] {
    const text = children.map(textOf).join("").trim();
    return text === "" ? children : marked("_", text, children);
  }

  #isNote(text: string, base: string): boolean {
    const numbers = text.split(/[\s,\u2013-]+/).map(Number);
    if (numbers.some((number) => !Number.isInteger(number) || number < 1 || number > 999)) return false;
    const first = numbers[0] ?? 0;
    const [number] = /[\d.,]{0,20}\d$/.exec(base) ?? [];
    const isNote =
      number === undefined
        ? base === "" || /(?:\p{L}{4}|[^\p{L}\p{N})\]}|'])$/u.test(base)
        : !/^(?:2|10)$/.test(number) && first <= this.#notes + 1;
    if (isNote) this.#notes = Math.max(this.#notes, ...numbers);
    return isNote;
  }
}

const marked = (mark: string, text: string, children: readonly PageNode[]) =>
  /^[+\-\u2212]?[\p{L}\p{N}.]+$/u.test(text) ? [makeText(mark), ...children] : [makeText(`${mark}(`), ...children, makeText(")")];
