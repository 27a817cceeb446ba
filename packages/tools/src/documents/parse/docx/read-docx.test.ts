import { describe, expect, test } from "vitest";
import { docxFiles } from "../../../../test/make-docx.ts";
import { usualLimits } from "../document.ts";
import { readDocument } from "../read-document.ts";
import { packStored } from "../zip.ts";

const names = [
  'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"',
  'xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"',
  'xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006"',
  'xmlns:m="http://schemas.openxmlformats.org/officeDocument/2006/math"',
  'xmlns:w14="http://schemas.microsoft.com/office/word/2010/wordml"',
  'xmlns:wps="http://schemas.microsoft.com/office/word/2010/wordprocessingShape"',
  'xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main"',
  'xmlns:c="http://schemas.openxmlformats.org/drawingml/2006/chart"',
  'xmlns:wp="http://schemas.openxmlformats.org/drawingml/2006/wordprocessingDrawing"',
  'xmlns:v="urn:schemas-microsoft-com:vml" xmlns:o="urn:schemas-microsoft-com:office:office"',
].join(" ");

/** Parts beside the text, by their names, such as `numbering`; those of another type stand behind a colon: `header:top`. */
type Parts = Readonly<Record<string, string>>;

async function read(body: string, parts: Parts = {}) {
  const own = Object.keys(parts).map((key) => ({ key, type: key.split(":")[0] ?? key, name: key.split(":")[1] ?? key }));
  const office = "http://schemas.openxmlformats.org/officeDocument/2006/relationships";
  const refs = own.map(({ type, name }) => `<Relationship Id="r-${name}" Type="${office}/${type}" Target="${name}.xml"/>`);
  const links = '<Relationship Id="r-site" Type="hyperlink" Target="https://example.com/rent" TargetMode="External"/>';
  const files = docxFiles([]);
  const xml = (text: string) => new TextEncoder().encode(text);
  files.set("word/document.xml", xml(`<w:document ${names}><w:body>${body}</w:body></w:document>`));
  const namespace = "http://schemas.openxmlformats.org/package/2006/relationships";
  files.set("word/_rels/document.xml.rels", xml(`<Relationships xmlns="${namespace}">${refs.join("")}${links}</Relationships>`));
  for (const { key, name } of own) files.set(`word/${name}.xml`, xml(parts[key] ?? ""));
  const document = await readDocument(packStored(files), { name: "a.docx", limits: usualLimits });
  return { ...document, text: document.parts.map(({ text }) => text).join("\n") };
}

const run = (text: string, properties = "") => `<w:r><w:rPr>${properties}</w:rPr><w:t xml:space="preserve">${text}</w:t></w:r>`;
const p = (inner: string, properties = "") => `<w:p><w:pPr>${properties}</w:pPr>${inner}</w:p>`;
const m = (text: string) => `<m:r><m:t>${text}</m:t></m:r>`;
const power = (base: string, to: string) => `<m:sSup><m:e>${m(base)}</m:e><m:sup>${m(to)}</m:sup></m:sSup>`;
const instruct = (text: string) => `<w:r><w:instrText xml:space="preserve">${text}</w:instrText></w:r>`;
const mark = (type: string, data = "") =>
  `<w:r><w:fldChar w:fldCharType="${type}">${data && `<w:ffData>${data}</w:ffData>`}</w:fldChar></w:r>`;
const field = (instruction: string, result?: string, data = "") =>
  `${mark("begin", data)}${instruct(instruction)}${result === undefined ? "" : mark("separate") + run(result)}${mark("end")}`;
const control = (properties: string, content: string) =>
  `<w:sdt><w:sdtPr>${properties}</w:sdtPr><w:sdtContent>${content}</w:sdtContent></w:sdt>`;
const box = (inner: string) =>
  `<w:drawing><wp:inline><wp:docPr id="1" name="b"/><a:graphic><a:graphicData><wps:wsp><wps:txbx><w:txbxContent>${inner}</w:txbxContent></wps:txbx></wps:wsp></a:graphicData></a:graphic></wp:inline></w:drawing>`;

describe("words of a paragraph", () => {
  test.each([
    ["a simple field", `Due ${"x"}`, p(`${run("Due ")}<w:fldSimple w:instr=" DATE ">${run("x")}</w:fldSimple>`)],
    ["a merge field without a result", "Dear [MERGEFIELD Name]", p(`${run("Dear ")}${field(" MERGEFIELD Name \\* MERGEFORMAT ")}`)],
    ["a simple merge field without a result", "[MERGEFIELD Name]", p('<w:fldSimple w:instr=" MERGEFIELD Name "/>')],
    [
      "a field within the instruction of another",
      "yes",
      p(
        `${mark("begin")}${instruct(" IF ")}${field("MERGEFIELD a", "1")}${instruct(' = 1 "yes"')}${mark("separate")}${run("yes")}${mark("end")}`,
      ),
    ],
    ["a field whose end is missing", "kept and this", p(`${run("kept ")}${mark("begin")}${run("and this")}`)],
    ["an entry of an index", "Rent is due", p(`${run("Rent")}${field(' XE "Rent" ')}${run(" is due")}`)],
    ["a button with words", "Click here", p(field(" MACROBUTTON NoMacro Click here "))],
    ["a link of a field", "[see](https://example.com/a)", p(field(' HYPERLINK "https://example.com/a" \\o "tip" ', "see"))],
    ["a link of an element", "[see](https://example.com/rent)", p(`<w:hyperlink r:id="r-site">${run("see")}</w:hyperlink>`)],
    [
      "ruby",
      "\u6771\u4eac(Tokyo)",
      p(`<w:r><w:ruby><w:rubyPr/><w:rt>${run("Tokyo")}</w:rt><w:rubyBase>${run("\u6771\u4eac")}</w:rubyBase></w:ruby></w:r>`),
    ],
    [
      "runs from right to left",
      "\u05e9\u05dc\u05d5\u05dd 12",
      p(`<w:bdo w:val="rtl">${run("\u05e9\u05dc\u05d5\u05dd", "<w:rtl/>")}</w:bdo><w:dir w:val="rtl">${run(" 12")}</w:dir>`),
    ],
    [
      "wrappers that nobody knows",
      "one two three",
      p(`<w:smartTag>${run("one ")}</w:smartTag><w:customXml>${run("two ")}</w:customXml><w:future>${run("three")}</w:future>`),
    ],
    [
      "raised and lowered words",
      "10^6 m^{2 x} H_2O",
      p(
        `${run("10")}${run("6", '<w:vertAlign w:val="superscript"/>')}${run(" m")}${run("2 x", '<w:vertAlign w:val="superscript"/>')}${run(" H")}${run("2", '<w:vertAlign w:val="subscript"/>')}${run("O")}`,
      ),
    ],
    [
      "struck words",
      "~~100~~ ~~90~~ 80",
      p(`${run("100", "<w:strike/>")}${run(" ")}${run("90", "<w:dstrike/>")}${run(" 80", '<w:strike w:val="0"/>')}`),
    ],
    [
      "breaks and tabs",
      "a\tb\tc\nd\ne\nf\u2011g",
      p(
        "<w:r><w:t>a</w:t><w:tab/><w:t>b</w:t><w:ptab/><w:t>c</w:t><w:br/><w:t>d</w:t><w:cr/><w:t>e</w:t><w:br w:type='page'/><w:t>f</w:t><w:noBreakHyphen/><w:t>g</w:t></w:r>",
      ),
    ],
    [
      "symbols of a font",
      "\u{1f5f9} yes \u{1f78f} no",
      p(
        `<w:r><w:sym w:font="Wingdings" w:char="F0FE"/></w:r>${run(" yes ")}${run("\uf06f", '<w:rFonts w:ascii="Wingdings"/>')}${run(" no")}`,
      ),
    ],
    [
      "a formula",
      "E=m c^2 and (a+b)/2",
      p(
        `<m:oMath><m:r><m:t>E=m </m:t></m:r><m:sSup><m:e><m:r><m:t>c</m:t></m:r></m:e><m:sup><m:r><m:t>2</m:t></m:r></m:sup></m:sSup></m:oMath>${run(" and ")}<m:oMath><m:f><m:num><m:r><m:t>a+b</m:t></m:r></m:num><m:den><m:r><m:t>2</m:t></m:r></m:den></m:f></m:oMath>`,
      ),
    ],
    [
      "a formula whose parts would run into one word",
      "2x^2 y^3 a/b 3√(x)sin z 10 2^4",
      p(
        `<m:oMath>${m("2")}${power("x", "2")}${power("y", "3")}<m:f><m:num>${m("a")}</m:num><m:den>${m("b")}</m:den></m:f><m:rad><m:deg>${m("3")}</m:deg><m:e>${m("x")}</m:e></m:rad><m:func><m:fName>${m("sin")}</m:fName><m:e>${m("z")}</m:e></m:func>${m("10")}${power("2", "4")}</m:oMath>`,
      ),
    ],
    [
      "emphasis, which breaks no word",
      "**Rent** is Rented",
      p(`${run("Re", "<w:b/>")}${run("nt ", "<w:b/>")}${run("is ")}${run("Rent", "<w:b/>")}${run("ed")}`),
    ],
    ["characters by number and in data", "a & < \u00e9 b", p("<w:r><w:t>a &amp; &lt; &#xe9; <![CDATA[b]]></w:t></w:r>")],
  ])("in %s are read", async (_, text, body) => {
    const read_ = await read(body);
    expect(read_.text).toBe(text);
    expect(read_.notes).toEqual([]);
  });

  test("that are hidden are marked and told, whether the run, its style or the paragraph hides them", async () => {
    const styles = `<w:styles ${names}><w:style w:styleId="Secret"><w:name w:val="s"/><w:rPr><w:vanish/></w:rPr></w:style><w:style w:styleId="Below"><w:basedOn w:val="Secret"/></w:style></w:styles>`;
    const { text, notes } = await read(
      p(run("a ") + run("b", "<w:vanish/>")) +
        p(run("c", '<w:rStyle w:val="Below"/>')) +
        p(run("d"), '<w:pStyle w:val="Secret"/>') +
        p(run("e", '<w:vanish w:val="0"/>')),
      { styles },
    );
    expect(text).toBe("a [Hidden: b]\n\n[Hidden: c]\n\n[Hidden: d]\n\ne");
    expect(notes).toEqual([expect.stringMatching(/^Words that Word does not show .* \(3\)\. /)]);
  });

  test("that a tracked change deleted are left out and told, and those of a deleted end of a paragraph join the next", async () => {
    const { text, notes } = await read(
      p(
        `${run("We pay ")}<w:ins>${run("ninety")}</w:ins><w:del><w:r><w:delText>eighty</w:delText></w:r></w:del>`,
        "<w:rPr><w:del/></w:rPr>",
      ) + p(`${run(" euros")}<w:moveFrom>${run("gone")}</w:moveFrom><w:moveTo>${run(" now")}</w:moveTo>`),
    );
    expect(text).toBe("We pay ninety euros now");
    expect(notes).toEqual([expect.stringMatching(/^Words that a tracked change deleted are left out, .* \(2\)\. /)]);
  });

  test("in a font of symbols that no table has are told with the font", async () => {
    const { text, notes } = await read(p(`${run("a ")}<w:r><w:sym w:font="Corporate" w:char="F041"/></w:r>${run("\ue001")}`));
    expect(text).toBe("a \ufffd\ufffd");
    expect(notes).toEqual([expect.stringMatching(/ \(2: Corporate\)\. /)]);
  });
});

describe("a form", () => {
  test.each([
    ["a box that is ticked", "[x] a", control('<w14:checkbox><w14:checked w14:val="1"/></w14:checkbox>', run("\u2612")) + run(" a")],
    ["a box of true", "[x]", control('<w14:checkbox><w14:checked w14:val="true"/></w14:checkbox>', run("yes"))],
    ["a box that is not", "[ ]", control('<w14:checkbox><w14:checked w14:val="0"/></w14:checkbox>', run("\u2610"))],
    ["a box without a state", "[ ]", control("<w14:checkbox/>", run("\u2610"))],
    ["a choice", "Norway", control('<w:dropDownList><w:listItem w:displayText="Norway" w:value="NO"/></w:dropDownList>', run("Norway"))],
    [
      "a choice that only the list remembers",
      "Norway",
      control('<w:dropDownList w:lastValue="NO"><w:listItem w:displayText="Norway" w:value="NO"/></w:dropDownList>', ""),
    ],
    ["a choice that nobody made", "[empty: Choose a land.]", control("<w:showingPlcHdr/><w:comboBox/>", run("Choose a land."))],
    ["an old box that began ticked", "[x]", field(" FORMCHECKBOX ", undefined, '<w:checkBox><w:default w:val="1"/></w:checkBox>')],
    [
      "an old box that was cleared",
      "[ ]",
      field(" FORMCHECKBOX ", undefined, '<w:checkBox><w:default w:val="1"/><w:checked w:val="0"/></w:checkBox>'),
    ],
    [
      "an old choice",
      "Oslo",
      field(
        " FORMDROPDOWN ",
        undefined,
        '<w:ddList><w:result w:val="1"/><w:listEntry w:val="Bergen"/><w:listEntry w:val="Oslo"/></w:ddList>',
      ),
    ],
    [
      "an old choice with a result beside it",
      "Oslo",
      field(" FORMDROPDOWN ", "Oslo", '<w:ddList><w:result w:val="1"/><w:listEntry w:val="Bergen"/><w:listEntry w:val="Oslo"/></w:ddList>'),
    ],
    ["an old field with words", "Ann", field(" FORMTEXT ", "Ann")],
    ["an old field without words", "[empty]", field(" FORMTEXT ")],
  ])("shows %s with its state", async (_, text, inner) => {
    expect((await read(p(inner))).text).toBe(text);
  });

  test("shows a box around a paragraph and in a cell", async () => {
    const ticked = control('<w14:checkbox><w14:checked w14:val="1"/></w14:checkbox>', p(run("\u2612")));
    const cells = `<w:tc>${ticked}</w:tc>${control("", `<w:tc>${p(run("Pets"))}</w:tc>`)}`;
    expect((await read(`${ticked}<w:tbl><w:tr>${cells}</w:tr></w:tbl>`)).text).toBe("[x]\n\n| [x] | Pets |\n| --- | --- |");
  });
});

const level = (at: number, format: string, text: string, more = "") =>
  `<w:lvl w:ilvl="${at}">${more}<w:numFmt w:val="${format}"/><w:lvlText w:val="${text}"/></w:lvl>`;
const numbering = (kinds: readonly string[], lists: readonly string[]) =>
  `<w:numbering ${names}>${kinds.map((kind, id) => `<w:abstractNum w:abstractNumId="${id}">${kind}</w:abstractNum>`).join("")}${lists.join("")}</w:numbering>`;
const list = (num: number, kind: number, more = "") => `<w:num w:numId="${num}"><w:abstractNumId w:val="${kind}"/>${more}</w:num>`;
const item = (text: string, num: number, at = 0) => p(run(text), `<w:numPr><w:ilvl w:val="${at}"/><w:numId w:val="${num}"/></w:numPr>`);

describe("a list", () => {
  test("is numbered as Word does: continued, in levels, letters and Roman numbers, each level anew below a higher one", async () => {
    const legal =
      level(0, "decimal", "%1.") +
      level(1, "lowerLetter", "(%2)") +
      level(2, "upperRoman", "%1.%2.%3", "<w:isLgl/>") +
      level(3, "upperRoman", "%4");
    const body = [
      item("a", 1),
      item("b", 1, 1),
      item("c", 1, 1),
      p(run("between")),
      item("d", 1, 2),
      item("e", 1, 3),
      item("f", 1),
      item("g", 1, 1),
    ];
    const { text } = await read(body.join(""), { numbering: numbering([legal], [list(1, 0)]) });
    expect(text).toBe("1. a\n  (a) b\n  (b) c\n\nbetween\n\n    1.2.1 d\n      I e\n2. f\n  (a) g");
  });

  test("begins where it says, and anew where another list of its kind overrides that", async () => {
    const articles = level(0, "decimal", "Article %1", '<w:start w:val="5"/>');
    const anew = list(2, 0, '<w:lvlOverride w:ilvl="0"><w:startOverride w:val="9"/></w:lvlOverride>');
    const body = [item("a", 1), item("b", 1), item("c", 3), item("d", 2), item("e", 2), item("f", 1)];
    const { text } = await read(body.join(""), { numbering: numbering([articles], [list(1, 0), anew, list(3, 0)]) });
    expect(text).toBe("Article 5 a\nArticle 6 b\nArticle 7 c\nArticle 9 d\nArticle 10 e\nArticle 11 f");
  });

  test("takes its number from the style of a heading, by the level that is linked with it", async () => {
    const styles = `<w:styles ${names}><w:style w:styleId="H1"><w:name w:val="heading 1"/><w:pPr><w:numPr><w:numId w:val="1"/></w:numPr></w:pPr></w:style><w:style w:styleId="H2"><w:name w:val="heading 2"/><w:basedOn w:val="H1"/><w:pPr><w:numPr><w:ilvl w:val="1"/></w:numPr></w:pPr></w:style></w:styles>`;
    const kinds = [level(0, "decimal", "%1", '<w:pStyle w:val="H1"/>') + level(1, "decimal", "%1.%2", '<w:pStyle w:val="H2"/>')];
    const heading = (text: string, style: string) => p(run(text), `<w:pStyle w:val="${style}"/>`);
    const body = [heading("Rent", "H1"), heading("Due", "H2"), heading("Late", "H2"), heading("Pets", "H1")];
    const { text, parts } = await read(body.join(""), { styles, numbering: numbering(kinds, [list(1, 0)]) });
    expect(text.replace(/\n+/g, "\n")).toBe("# 1 Rent\n## 1.1 Due\n## 1.2 Late\n# 2 Pets");
    expect(parts[2]?.headings).toEqual(["1 Rent", "1.2 Late"]);
  });

  test("has bullets, its own numbers of other scripts, and tells a format that nobody knows", async () => {
    const kinds = [
      level(0, "bullet", "\uf0b7"),
      level(0, "chineseCounting", "\u7b2c%1\u6761"),
      level(0, "decimalZero", "%1)"),
      level(0, "thaiCounting", "%1."),
      level(0, "none", ""),
    ];
    const body = [item("a", 1), item("b", 2), item("c", 3), item("d", 4), item("e", 5), item("f", 0), item("g", 77)];
    const { text, notes } = await read(body.join(""), {
      numbering: numbering(
        kinds,
        [1, 2, 3, 4, 5].map((num) => list(num, num - 1)),
      ),
    });
    expect(text).toBe("- a\n\u7b2c\u4e00\u6761 b\n01) c\n1. d\ne\n\nf\n\ng");
    expect(notes).toEqual([expect.stringMatching(/^Numbers of lists .* \(thaiCounting\)\. /)]);
  });

  test("of a style of lists is numbered, and one that stands for itself is not", async () => {
    const styles = `<w:styles ${names}><w:style w:styleId="L" w:type="numbering"><w:name w:val="l"/><w:pPr><w:numPr><w:numId w:val="2"/></w:numPr></w:pPr></w:style><w:style w:styleId="M" w:type="numbering"><w:pPr><w:numPr><w:numId w:val="3"/></w:numPr></w:pPr></w:style></w:styles>`;
    const kinds = ['<w:numStyleLink w:val="L"/>', level(0, "upperLetter", "%1."), '<w:numStyleLink w:val="M"/>'];
    const { text } = await read(item("a", 1) + item("b", 2) + item("c", 3), {
      styles,
      numbering: numbering(kinds, [list(1, 0), list(2, 1), list(3, 2)]),
    });
    expect(text).toBe("A. a\nB. b\n\nc");
  });
});

const cell = (inner: string, properties = "") => `<w:tc><w:tcPr>${properties}</w:tcPr>${inner}</w:tc>`;
const row = (...cells: readonly string[]) => `<w:tr>${cells.join("")}</w:tr>`;
const word = (text: string, properties = "") => cell(p(run(text)), properties);

describe("a table", () => {
  test("keeps each cell below its heading where others are merged, down or across", async () => {
    const rows = [
      row(word("Year"), word("Quarter"), word("Sales"), word("Cost")),
      row(word("2020", '<w:vMerge w:val="restart"/>'), word("Q1"), word("10"), word("4")),
      row(cell("<w:p/>", "<w:vMerge/>"), word("none", '<w:gridSpan w:val="2"/>'), word("5")),
      `<w:tr><w:trPr><w:gridBefore w:val="2"/></w:trPr>${word("Sum")}${word("9")}</w:tr>`,
    ];
    expect((await read(`<w:tbl>${rows.join("")}</w:tbl>`)).text.split("\n")).toEqual([
      ...["| Year | Quarter | Sales | Cost |", "| --- | --- | --- | --- |", "| 2020 | Q1 | 10 | 4 |"],
      ...["|  | none |  | 5 |", "|  |  | Sum | 9 |"],
    ]);
  });

  test("keeps lines, bars and a table within a cell apart, and a frame around text is none", async () => {
    const inner = `<w:tbl>${row(word("in 1"), word("in 2"))}${row(word("in 3"), word("in 4"))}</w:tbl><w:p/>`;
    const rows = row(cell(p(run("a | b")) + p(run("c"))), cell(inner)) + row(word("d"), word("e"));
    expect((await read(`<w:tbl>${rows}</w:tbl>`)).text).toBe(
      "| a \\| b <br> c | in 1 \\| in 2 <br> in 3 \\| in 4 |\n| --- | --- |\n| d | e |",
    );
    expect((await read(`<w:tbl>${row(cell(p(run("a")) + p(run("b"))))}</w:tbl>`)).text).toBe("a\n\nb");
  });

  test("is read through controls and changes, without deleted rows, which are told", async () => {
    const deleted = `<w:tr><w:trPr><w:del/></w:trPr>${word("gone")}${word("0")}</w:tr>`;
    const { text, notes } = await read(
      `<w:tbl>${control("", row(word("a"), control("", word("b"))))}${deleted}${row(word("c"), word("d"))}</w:tbl>`,
    );
    expect(text).toBe("| a | b |\n| --- | --- |\n| c | d |");
    expect(notes).toHaveLength(1);
  });
});

describe("what stands beside the text", () => {
  test("is read once: text boxes of the newer or the older form, shapes with words", async () => {
    const old = `<w:pict><v:shape><v:textbox><w:txbxContent>${p(run("Old"))}</w:txbxContent></v:textbox></v:shape></w:pict>`;
    const both = `<mc:AlternateContent><mc:Choice>${box(p(run("New")))}</mc:Choice><mc:Fallback>${old}</mc:Fallback></mc:AlternateContent>`;
    const onlyOld = `<mc:AlternateContent><mc:Choice><w:drawing/></mc:Choice><mc:Fallback>${old}</mc:Fallback></mc:AlternateContent>`;
    const water = '<w:pict><v:shape><v:textpath string="DRAFT"/></v:shape></w:pict>';
    const body = p(`<w:r>${both}</w:r>`) + p(`${run("a")}<w:r>${onlyOld}</w:r>`) + p(`<w:r>${water}</w:r>`);
    expect((await read(body)).text).toBe("New\n\na\n\nOld\n\nDRAFT");
    expect(
      (
        await read(
          `<mc:AlternateContent><mc:Choice>${p(run("a"))}</mc:Choice><mc:Fallback>${p(run("b"))}</mc:Fallback></mc:AlternateContent>`,
        )
      ).text,
    ).toBe("a");
  });

  test("comes after the text: notes, comments, headers and footers, each once", async () => {
    const notes = (kind: string) => `<w:${kind}s ${names}><w:${kind} w:id="7">${p(run(`a ${kind}`))}</w:${kind}></w:${kind}s>`;
    const comments = `<w:comments ${names}><w:comment w:id="1" w:author="Bo">${p(run("lower it"))}</w:comment><w:comment w:id="2">${p(run("alone"))}</w:comment></w:comments>`;
    const edge = (kind: string, text: string) => `<w:${kind} ${names}>${p(run(text))}</w:${kind}>`;
    const refs = ["top", "other", "end"].map((name) => `<w:${name === "end" ? "footer" : "header"}Reference r:id="r-${name}"/>`);
    const text = `${run("Rent")}<w:r><w:footnoteReference w:id="7"/></w:r><w:r><w:endnoteReference w:id="7"/></w:r><w:r><w:commentReference w:id="1"/></w:r><w:r><w:commentReference w:id="1"/></w:r>`;
    const read_ = await read(`${p(text)}<w:sectPr>${refs.join("")}</w:sectPr><w:sectPr>${refs.join("")}</w:sectPr>`, {
      ...{ footnotes: notes("footnote"), endnotes: notes("endnote"), comments },
      ...{ "header:top": edge("hdr", "Acme"), "header:other": edge("hdr", "Acme"), "footer:end": edge("ftr", `Page ${"1"}`) },
    });
    expect(read_.text).toBe(
      "Rent[^1][^i][Comment by Bo: lower it]\n\n[^1]: a footnote\n\n[^i]: a endnote\n\n[Comment by somebody: alone]\n\nHeader: Acme\n\nFooter: Page 1",
    );
  });

  test("is told where it cannot be read, or read where it holds words: charts, embedded files and documents", async () => {
    const chart = `<c:chartSpace ${names}><a:p><a:r><a:t>Sales</a:t></a:r></a:p><c:cat><c:pt><c:v>2020</c:v></c:pt></c:cat><c:val><c:pt><c:v>10</c:v></c:pt></c:val></c:chartSpace>`;
    const body = `${p('<w:r><w:drawing><c:chart r:id="r-chart1"/></w:drawing><w:object><o:OLEObject ProgID="Excel.Sheet.12" r:id="x"/></w:object></w:r>')}<w:altChunk r:id="r-more"/><w:altChunk r:id="r-none"/>`;
    const { text, notes } = await read(body, {
      "chart:chart1": chart,
      "aFChunk:more": "<html><body><p>From <b>HTML</b></p></body></html>",
    });
    expect(text).toBe("[Chart: Sales; 2020; 10][Embedded: Excel.Sheet.12]\n\nFrom **HTML**");
    expect(notes).toEqual([expect.stringMatching(/^Documents that the file embeds in its text are left out \(1\)\. /)]);
  });
});

describe("a hostile document", () => {
  test.each([
    ["a document type", "<!DOCTYPE x><w:document/>"],
    ["an element that ends another", `<w:document ${names}><w:body></w:document></w:body>`],
    ["no end", `<w:document ${names}><w:body>`],
    ["elements in elements", `<w:document ${names}>${"<w:p>".repeat(5_000)}${"</w:p>".repeat(5_000)}</w:document>`],
    ["another root", "<html/>"],
  ])("with %s is damaged", async (_, xml) => {
    const files = docxFiles([]);
    files.set("word/document.xml", new TextEncoder().encode(xml));
    const reading = readDocument(packStored(files), { name: "a.docx", limits: usualLimits });
    await expect(reading).rejects.toMatchObject({ unreadable: { reason: "damaged" } });
  });

  test("whose parts, comments and numbers refer to one another without end is read once", async () => {
    const styles = `<w:styles ${names}><w:style w:styleId="A"><w:basedOn w:val="B"/></w:style><w:style w:styleId="B"><w:basedOn w:val="A"/></w:style></w:styles>`;
    const self = `<w:comments ${names}><w:comment w:id="1" w:author="Bo">${p(`${run("x")}<w:r><w:commentReference w:id="1"/></w:r>`)}</w:comment></w:comments>`;
    const note = `<w:footnotes ${names}><w:footnote w:id="1">${p(`${run("n")}<w:r><w:footnoteReference w:id="1"/></w:r>`)}</w:footnote></w:footnotes>`;
    const body = p(`${run("a")}<w:r><w:commentReference w:id="1"/><w:footnoteReference w:id="1"/></w:r>`, '<w:pStyle w:val="A"/>');
    const wide = `<w:tbl>${row(word("a", '<w:gridSpan w:val="999999999"/>'), word("b"))}</w:tbl>`;
    const { text } = await read(body + wide, { styles, comments: self, footnotes: note });
    expect(text).toMatch(/^a\[Comment by Bo: x\]\[\^1\]\n/);
    expect(text).toMatch(/\n\[\^1\]: n\[\^1\]$/);
    expect(text.length).toBeLessThan(1_000);
  });
});
