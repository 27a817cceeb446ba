import { inflateRawSync } from "node:zlib";
import type { Found } from "./words.ts";

/** Words of each text part of a Word document, by a walk over all its tags that knows little of their meaning. */
export function readWord(bytes: Uint8Array): readonly Found[] {
  return [...unzip(Buffer.from(bytes))].flatMap(([name, data]) => (texts.test(name) ? walk(data.toString()) : []));
}

/** Parts that hold words which Word shows: the text, and what it refers to. */
const texts = /^word\/(?:[^/]*\/)?(?:document\d*|footnotes|endnotes|comments|header\d*|footer\d*|chart\d*|data\d*)\.xml$/;

function* unzip(bytes: Buffer): Generator<readonly [name: string, data: Buffer]> {
  let at = bytes.readUInt32LE(bytes.lastIndexOf("PK\x05\x06") + 16);
  for (
    ;
    bytes.readUInt32LE(at) === 0x02014b50;
    at += 46 + bytes.readUInt16LE(at + 28) + bytes.readUInt16LE(at + 30) + bytes.readUInt16LE(at + 32)
  ) {
    const name = bytes.toString("utf8", at + 46, at + 46 + bytes.readUInt16LE(at + 28));
    const local = bytes.readUInt32LE(at + 42);
    const begin = local + 30 + bytes.readUInt16LE(local + 26) + bytes.readUInt16LE(local + 28);
    const packed = bytes.subarray(begin, begin + bytes.readUInt32LE(at + 20));
    yield [name, bytes.readUInt16LE(at + 10) === 0 ? packed : inflateRawSync(packed)];
  }
}

/** Elements whose text is shown, by their local names: of Word, of formulas and drawings, of charts. */
const shown = new Set(["t", "v"]);
/** Elements of a tracked change, whose text was there before. */
const gone = new Set(["del", "moveFrom"]);
/** Elements that stand within a word, and those of a formula, which may be one. Where any other begins or ends, a word ends. */
const inWord = new Set(
  "r t rPr b bCs i iCs strike caps smallCaps u color sz szCs rFonts lang rStyle noProof proofErr"
    .split(" ")
    .concat(
      "hyperlink bookmarkStart bookmarkEnd softHyphen ins del moveFrom delText lastRenderedPageBreak footnoteReference endnoteReference rtl cs position kern spacing shd highlight w".split(
        " ",
      ),
    ),
);

function walk(xml: string): readonly Found[] {
  const open: string[] = [];
  const found = { text: "", deleted: "" };
  for (const [, end = "", tag = "", attributes = "", empty = "", text = ""] of xml.matchAll(
    /<(\/?)([^\s<>/!?]+)((?:[^<>"']|"[^"]*"|'[^']*')*?)(\/?)>|([^<>]+)/g,
  )) {
    const name = tag.split(":").at(-1) ?? "";
    const place = open.some((each) => gone.has(each)) ? "deleted" : "text";
    // Both branches of an alternative say the same.
    if (open.includes("Fallback") && name !== "Fallback") continue;
    if (tag === "") {
      const [last = ""] = open.slice(-1);
      if (shown.has(last)) found[place] += decode(text);
      else if (last === "delText") found.deleted += decode(text);
      continue;
    }
    if (!inWord.has(name)) found[place] += " ";
    if (name === "docPr" || name === "textpath") found[place] += `${decode(/\b(?:descr|string)="([^"]*)"/.exec(attributes)?.[1] ?? "")} `;
    if (end !== "") open.splice(open.lastIndexOf(name), 1);
    else if (empty === "") open.push(name);
  }
  return (["text", "deleted"] as const).map((place) => ({ place, text: found[place] }));
}

const marks: Readonly<Record<string, string>> = { amp: "&", lt: "<", gt: ">", quot: '"', apos: "'" };

const decode = (text: string) =>
  text.replace(/&(?:#(x?)(\w+)|(\w+));/g, (_, hex: string, code = "", name = "") =>
    code === "" ? (marks[name] ?? "") : String.fromCodePoint(Number.parseInt(code, hex === "" ? 10 : 16)),
  );
