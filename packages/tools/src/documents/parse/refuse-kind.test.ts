import { describe, expect, test } from "vitest";
import { detectKind } from "./detect-kind.ts";
import { UnreadableError } from "./document.ts";
import { packStored } from "./zip.ts";

const latin = (text: string) => Buffer.from(text, "latin1");
const zip = (...names: readonly string[]) => packStored(new Map(names.map((name) => [name, latin("x")])));
const typed = (type: string) =>
  packStored(
    new Map([
      ["mimetype", latin(type)],
      ["content.xml", latin("<x/>")],
    ]),
  );
const compound = (stream: string) =>
  Buffer.concat([latin("\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"), Buffer.alloc(40), Buffer.from(`${stream}\0`, "utf16le")]);

async function refusalOf(name: string, bytes: Uint8Array): Promise<string> {
  const error = await detectKind({ name }, Uint8Array.from(bytes)).catch((caught: unknown) => caught);
  if (!(error instanceof UnreadableError)) throw new Error(`it was read as ${JSON.stringify(error)}`);
  expect(error.unreadable.reason).toBe("unknown_kind");
  return error.message;
}

describe("a file that cannot be read is named, with what to do", () => {
  test.each([
    ["a.rtf", latin("{\\rtf1\\ansi Hello}"), "an RTF document: save it as .docx, PDF or text"],
    ["a.txt", latin("\n {\\rtf1 Hello}"), "an RTF document"],
    ["a.odt", typed("application/vnd.oasis.opendocument.text"), "an OpenDocument text (ODT): save it as .docx"],
    ["a.ods", typed("application/vnd.oasis.opendocument.spreadsheet"), "an OpenDocument spreadsheet (ODS): save its sheets as CSV"],
    ["a.odp", typed("application/vnd.oasis.opendocument.presentation"), "an OpenDocument presentation (ODP): save it as PDF"],
    ["a.epub", typed("application/epub+zip"), "an EPUB book: save it as PDF or HTML"],
    ["a.epub", zip("META-INF/container.xml", "OEBPS/one.xhtml"), "an EPUB book"],
    ["a.pages", zip("Index/Document.iwa"), "a Pages document or another one of iWork: export it as Word"],
    ["a.numbers", zip("Index/Tables/DataList.iwa"), "a Numbers spreadsheet: export it as CSV"],
    ["a.key", zip("index.apxl"), "a Keynote presentation: export it as PDF"],
    ["a.xlsx", zip("xl/workbook.xml"), "an Excel workbook: save its sheets as CSV"],
    ["a.pptx", zip("ppt/presentation.xml"), "a PowerPoint file: save it as PDF"],
    ["a.jar", zip("META-INF/MANIFEST.MF"), "a program"],
    ["a.zip", zip("one.txt"), "an archive: unpack it first"],
    ["a.xls", compound("Workbook"), "an Excel workbook of before 2007 (XLS): save its sheets as CSV"],
    ["a.doc", compound("WordDocument"), "a Word document of before 2007 (DOC): save it as .docx or PDF"],
    ["a.ppt", compound("PowerPoint Document"), "a PowerPoint file of before 2007"],
    ["a.msg", compound("__properties_version1.0"), "a message of Outlook (MSG): save it as .eml"],
    ["a.hwp", compound("HwpSummaryInformation"), "a document of Hangul (HWP)"],
    ["a.vsd", compound("Anything"), "an Office document of before 2007"],
    ["a.png", latin("\x89PNG\r\n\x1a\n\0\0\0\rIHDR"), "a picture: look at it with a model that takes images"],
    ["a.jpg", latin("\xff\xd8\xff\xe0\0\x10JFIF\0"), "a picture"],
    ["a.gz", latin("\x1f\x8b\x08\0\0\0"), "an archive: unpack it first"],
    ["a.mp3", latin("ID3\x03\0\0\0"), "a recording: add its transcript"],
    ["a", latin("\x7fELF\x02\x01\x01\0"), "a program"],
    ["a.db", latin("SQLite format 3\0"), "an SQLite database: export its tables as CSV"],
    ["a.ps", latin("%!PS-Adobe-3.0\n%%Title: x"), "a PostScript document: save it as PDF"],
    ["a.mobi", latin(`${"x".repeat(32)}${"\0".repeat(28)}BOOKMOBI`), "a Kindle book"],
    ["a.bin", Uint8Array.from([0, 1, 2, 255]), "neither text nor a document of a kind that is known"],
  ])("%s: %#", async (name, bytes, what) => {
    expect(await refusalOf(name, bytes)).toContain(`The file is ${what}`);
  });

  test.each([
    ["a.txt", "MZ is how old programs begin, and BM is how bitmaps do."],
    ["a.md", "# A PDF begins with %PDF-1.7\n"],
    ["a.txt", "ID3 tags, GIF89a and PAR1 in a text."],
  ])("a text that begins like one is read: %s %#", async (name, text) => {
    expect(await detectKind({ name }, latin(text))).toMatchObject({ text });
  });

  test("what lies behind a file in the same memory is none of it", async () => {
    const text = "# A PDF begins with %PDF-1.7\n";
    const memory = latin(`${text}endobj`);
    expect(await detectKind({ name: "a.md" }, memory.subarray(0, text.length))).toMatchObject({ kind: "markdown", text });
  });
});
