import iconv from "iconv-lite";
import { describe, expect, test } from "vitest";
import { decodeText, type KnownEncoding } from "./decode-text.ts";
import { UnreadableError } from "./document.ts";
import { writeNote } from "./document-note.ts";

const latin = (text: string) => Buffer.from(text, "latin1");
const encode = (text: string, encoding: string, bytes: readonly number[] = []) => Buffer.from([...bytes, ...iconv.encode(text, encoding)]);
const read = async (bytes: Uint8Array, known?: KnownEncoding) => {
  const decoded = await decodeText(bytes, known);
  return decoded && { text: decoded.text, notes: decoded.notes.map(writeNote) };
};

const russian = "Поезд отходит утром, билет лежит на столе.";
const czech = "Dveře jsou těžké, ať je někdo drží, šel ťuhýk.";
const japanese = "駅は左にあります。切符を買ってください。";
const korean = "표는 여기서 사세요. 기차는 아홉 시에 떠납니다.";

describe("what tells its encoding is read without a note", () => {
  test.each([
    ["a byte order mark of UTF-8", encode("grün", "utf8", [0xef, 0xbb, 0xbf]), "grün"],
    ["of UTF-16, low byte first", encode("grün", "utf-16le", [0xff, 0xfe]), "grün"],
    ["of UTF-16, high byte first", encode("grün", "utf-16be", [0xfe, 0xff]), "grün"],
    ["of UTF-32, low byte first", encode("grün", "utf-32le", [0xff, 0xfe, 0, 0]), "grün"],
    ["of UTF-32, high byte first", encode("grün", "utf-32be", [0, 0, 0xfe, 0xff]), "grün"],
    ["of GB 18030", encode("车站", "gb18030", [0x84, 0x31, 0x95, 0x33]), "车站"],
    ["UTF-16 without a mark", encode("Nine trains leave.", "utf-16le"), "Nine trains leave."],
    ["UTF-16 of the other order without a mark", encode("Nine trains leave.", "utf-16be"), "Nine trains leave."],
    ["UTF-32 without a mark", encode("Nine trains leave.", "utf-32be"), "Nine trains leave."],
    ["escapes of ISO-2022-JP", latin("\x1b$B1X\x1b(B"), "駅"],
    ["escapes of ISO-2022-KR", latin("\x1b$)CA \x0eG%4B\x0f."), "A 표는."],
    ["UTF-8", Buffer.from(russian), russian],
    ["nothing but ASCII", latin("plain\r\nlines"), "plain\r\nlines"],
    [
      "an XML declaration",
      encode(`<?xml version="1.0" encoding='koi8-r'?><p>${russian}`, "koi8-r"),
      `<?xml version="1.0" encoding='koi8-r'?><p>${russian}`,
    ],
    ["a meta element", encode(`<meta charset=gb2312><p>车站在左边`, "gbk"), "<meta charset=gb2312><p>车站在左边"],
    [
      "the older meta element",
      encode(`<meta http-equiv=Content-Type content="text/html; charset=windows-1253"><p>Τρένο`, "windows-1253"),
      `<meta http-equiv=Content-Type content="text/html; charset=windows-1253"><p>Τρένο`,
    ],
    ["a meta element with UTF-16, which no page in bytes has", Buffer.from("<meta charset=utf-16><p>grün"), "<meta charset=utf-16><p>grün"],
    ["UTF-8, whatever a page says", Buffer.from("<meta charset=iso-8859-1><p>grün"), "<meta charset=iso-8859-1><p>grün"],
    ["a text about pages", Buffer.from("Write <meta charset=shift_jis> first: 駅"), "Write <meta charset=shift_jis> first: 駅"],
  ])("%s", async (_, bytes, text) => expect(await read(bytes)).toEqual({ text, notes: [] }));
});

describe("what others tell", () => {
  test.each([
    ["the charset of a media type", encode(russian, "koi8-r"), { charset: "koi8-r" }, russian],
    ["a charset that only old programs know", encode("Straße", "cp850"), { charset: "cp850" }, "Straße"],
    ["UTF-8 in spite of a charset of one byte a character", Buffer.from("grün"), { charset: "iso-8859-1" }, "grün"],
    [
      "an encoding that the caller names, in spite of all but a mark",
      encode(russian, "cp866"),
      { encoding: "cp866", charset: "koi8-r" },
      russian,
    ],
    ["a mark, in spite of the caller", encode("grün", "utf8", [0xef, 0xbb, 0xbf]), { encoding: "cp437" }, "grün"],
    ["UTF-8 whose last character was not fetched", Buffer.from("aé").subarray(0, 2), { isCut: true }, "a"],
  ])("counts: %s", async (_, bytes, known, text) => expect(await read(bytes, known)).toEqual({ text, notes: [] }));

  test.each(["klingon", "hex", "base64", ""])("an encoding %j is refused", async (encoding) => {
    const error = await read(latin("x"), { encoding }).catch((caught: unknown) => caught);
    expect(error instanceof UnreadableError && error.unreadable.reason).toBe("unknown_encoding");
  });

  test("a charset that nothing decodes counts for nothing", async () => {
    expect(await read(Buffer.from("grün"), { charset: "klingon" })).toEqual({ text: "grün", notes: [] });
  });
});

describe("what tells nothing is guessed, and a note says so", () => {
  test.each([
    ["windows-1251", russian, "windows-1251"],
    ["koi8-r", russian, "koi8-r"],
    ["cp866", russian, "ibm866"],
    ["windows-1250", czech, "windows-1250"],
    ["shift_jis", japanese, "shift_jis"],
    ["euc-jp", japanese, "euc-jp"],
    ["cp949", korean, "euc-kr"],
    ["windows-1252", "“Nine” – 50 € für Müller", "windows-1252"],
    ["cp437", "Müller zahlt", "cp437"],
  ])("%s", async (encoding, text, name) => {
    const advice = "If words look wrong, name its encoding with encoding, such as windows-1251, shift_jis or cp437.";
    const notes = [`The encoding of the text is not known: it is read as ${name}, which is a guess. ${advice}`];
    expect(await read(encode(text, encoding))).toEqual({ text, notes });
  });

  test("UTF-8 with some broken bytes stays UTF-8, and the note says where they are", async () => {
    const bytes = Buffer.concat([Buffer.from("Grüße aus Köln\nund Tübingen, schöne "), latin("Tage f\xfcr alle\n")]);
    const { text, notes } = (await read(bytes)) ?? {};
    expect(text).toBe("Grüße aus Köln\nund Tübingen, schöne Tage f\ufffdr alle\n");
    expect(notes).toEqual([expect.stringContaining("Bytes that are not UTF-8 are shown as U+FFFD (1: line 2).")]);
  });
});

describe("what is no text", () => {
  test.each([
    ["numbers", Uint8Array.from([0, 1, 2, 255])],
    ["noise", Uint8Array.from({ length: 3_000 }, (_, at) => (at * 7_919 + ((at * at) >> 3)) % 256)],
    ["zeros", new Uint8Array(5)],
  ])("is not read: %s", async (_, bytes) => expect(await read(bytes)).toBeUndefined());

  test("is told from a log with a hole of zeros", async () => {
    const log = `before\n${"\0".repeat(5_000)}\n${"a line\n".repeat(20)}`;
    expect((await read(latin(log)))?.text).toBe(log);
  });
});
