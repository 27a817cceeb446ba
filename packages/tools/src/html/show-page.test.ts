import { describe, expect, test } from "vitest";
import { readWhole } from "./readable-page.ts";

const read = (html: string) => readWhole(html).markdown;
/** Names and rows: a page, and the Markdown of it. */
type Rows = readonly (readonly [name: string, html: string, markdown: string])[];
const holds = (rows: Rows) => test.each(rows)("%s", (_, html, markdown) => expect(read(html)).toBe(markdown));

describe("a page has its words wherever they stand", () => {
  holds([
    ["in a form around the page", "<form><div><h1>Hours</h1><p>We open at nine.</p></div></form>", "# Hours\n\nWe open at nine."],
    ["before the page begins", "First words<html><head><title>T</title></head><body><p>others", "First words\n\nothers"],
    ["behind the page", "<html><body><p>one</p></body></html><p>two</p>", "one\n\ntwo"],
    ["behind an element that no head has", "<html><head><div></div><body><p>words", "words"],
    ["behind a script that writes a tag", `<script>let tag = "<body>";</script><p>words`, "words"],
    ["behind a comment with a tag", "<!-- <body> --><p>words", "words"],
    ["in two bodies", "<body><p>one</p><body><p>two", "one\n\ntwo"],
    ["behind a title without an end", "<title>Timetable<p>words", "words"],
    ["behind a comment without an end", "<!-- begin <p>words", "begin\n\nwords"],
    [
      "behind elements of XHTML that end where they begin",
      '<?xml version="1.0"?><html><head><title/><script src="x"/></head><body><p>words',
      "words",
    ],
    ["for those who run no scripts", "<div id=root></div><noscript><p>words</p></noscript><script src=x></script>", "words"],
    ["deep in others", `${"<div>".repeat(5_000)}words${"</div>".repeat(5_000)}`, "words"],
    ["in parts beside the text", "<nav>ways</nav><aside>note</aside><footer>end</footer>", "ways\n\nnote\n\nend"],
    ["in what is hidden", "<p hidden>one</p><div style='display:none'>two</div>", "one\n\ntwo"],
    ["in a frame", `<p>one</p><iframe srcdoc="<p>two</p><script>x</script>"></iframe>`, "one\n\ntwo"],
    ["in a frame of a frame", `<iframe srcdoc='<iframe srcdoc="<b>deep</b>"></iframe>'></iframe>`, "**deep**"],
    ["in frames", "<frameset><frame src=a.html><noframes><p>none</p></noframes></frameset>", "[Frame: a.html]\n\nnone"],
    ["in a shadow root", "<x-a><template shadowrootmode=open><style>p{}</style><p>words</p></template></x-a>", "words"],
    [
      "in slots of a shadow root",
      "<x-a><template shadowrootmode=open><h2><slot name=t>none</slot></h2><slot></slot></template><p>text</p><b slot=t>Title</b></x-a>",
      "## **Title**\n\ntext",
    ],
    ["in elements of its own", "<x-title>Hours</x-title><x-text>nine</x-text>", "Hours nine"],
    ["in a drawing", "<svg><title>icon</title><text>label</text></svg>", "label"],
    ["in what stands for a thing that is not loaded", "<object data=x><p>words</p></object>", "words"],
    ["above characters", "<ruby>駅<rt>えき</rt></ruby> <ruby>左<rp>(</rp><rt>ひだり</rt><rp>)</rp></ruby>", "駅(えき) 左(ひだり)"],
    ["in a quotation", "She said <q>nine</q>.", 'She said "nine".'],
    ["in what opens", "<details><summary>More</summary>words</details>", "More\n\nwords"],
  ]);
});

describe("controls of a form say what they show", () => {
  holds([
    ["buttons", "<p>Press <button>Save all</button> or<input type=submit value=Send></p>", "Press Save all or Send"],
    ["boxes and choices", "<input type=checkbox checked>one<input type=radio>two", "[x] one [ ] two"],
    [
      "a list that is closed, and one that is open",
      "<select><option>red<option selected>blue</select><select multiple><option>a<option selected>b</select>",
      "blue a, [x] b",
    ],
    [
      "fields",
      "<label>Name <input value=Ann></label><input type=hidden value=x><input type=password value=y><textarea>note</textarea>",
      "Name Ann note",
    ],
    ["a text of several lines", "<textarea>\none\n  two</textarea>", "```\none\n  two\n```"],
  ]);
});

describe("lines of code stay lines", () => {
  holds([
    ["with breaks", "<pre>one<br>  two</pre>", "```\none\n  two\n```"],
    ["each in an element", "<pre><code class=language-js><div>one</div><div>two</div></code></pre>", "```js\none\ntwo\n```"],
    ["with marks in them", "<pre><em>sync</em> [--all] *</pre>", "```\nsync [--all] *\n```"],
    ["outside of a block", "<p>Run <code>one<br>two</code></p>", "Run\n\n```\none\ntwo\n```"],
    ["beside their numbers", "<table><tr><td><pre>1\n2</pre><td><pre>one\ntwo</pre></table>", "```\n1\n2\n```\n\n```\none\ntwo\n```"],
    [
      "in a table with headings",
      "<table><tr><th>name<th>use<tr><td>x<td><pre>one\ntwo</pre></table>",
      "| name | use |\n| --- | --- |\n| x | one <br> two |",
    ],
    ["with fences in them", "<pre>```\nx</pre>", "````\n```\nx\n````"],
  ]);
});

describe("cells of a table stand below their headings", () => {
  holds([
    [
      "where one spans rows and another columns",
      "<table><tr><th>Town<th colspan=2>Trains<tr><td rowspan=2>Ulm<td>north<td>4<tr><td>south<td>7</table>",
      "| Town | Trains |  |\n| --- | --- | --- |\n| Ulm | north | 4 |\n|  | south | 7 |",
    ],
    [
      "where a heading spans rows",
      "<table><thead><tr><th rowspan=2>Town<th colspan=2>2026<tr><th>May<th>June</thead><tr><td>Ulm<td>1<td>2</table>",
      "| Town | 2026 |  |\n| --- | --- | --- |\n|  | May | June |\n| Ulm | 1 | 2 |",
    ],
    [
      "where one spans all rows that are left, and others more than there are",
      "<table><tr><th>a<th>b<tbody><tr><td rowspan=0>1<td>2<tr><td>3</tbody><tbody><tr><td rowspan=99>4<td>5</table>",
      "| a | b |\n| --- | --- |\n| 1 | 2 |\n|  | 3 |\n| 4 | 5 |",
    ],
    [
      "where one spans more columns than there are",
      "<table><tr><th colspan=1000>T<tr><td>1<td>2</table>",
      "| T |  |\n| --- | --- |\n| 1 | 2 |",
    ],
    ["with the caption before them", "<table><caption>Fares</caption><tr><td>1</table>", "Fares\n\n| 1 |\n| --- |"],
    ["with the sums last", "<table><tfoot><tr><td>sum<td>3</tfoot><tr><td>one<td>3</table>", "| one | 3 |\n| --- | --- |\n| sum | 3 |"],
    [
      "with lines apart",
      "<table><tr><th>Place<tr><td>Hall 2<br>Ulm<ul><li>left</ul></table>",
      "| Place |\n| --- |\n| Hall 2 <br> Ulm <br> - left |",
    ],
    [
      "with a table in one",
      "<table><tr><th>k<th>v<tr><td>a<td><table><tr><td>x<td>1</table></table>",
      "| k | v |\n| --- | --- |\n| a | \\| x \\| 1 \\| |",
    ],
    ["unless it only lays out a page", "<table role=presentation><tr><td><table><tr><td><p>Dear Ann</p></table></table>", "Dear Ann"],
    ["unless a cell is a part of a page", "<table><tr><td><h1>Hours</h1><p>nine</p><td>ways</table>", "# Hours\n\nnine\n\nways"],
  ]);

  test("and a table that asks for millions of cells gets few", () => {
    const row = `<tr>${"<td rowspan=65000>x".repeat(300)}`;
    const markdown = read(`<table>${row}${"<tr><td>y".repeat(300)}</table>`);
    expect(markdown.match(/y/g)).toHaveLength(300);
    expect(markdown.split("|").length).toBeLessThan(20 * 600);
  });
});

describe("marks of a text stay", () => {
  holds([
    ["bold and italic", "<p><b>Rent</b> is <i>due </i>now, <em>Ann</em>.</p>", "**Rent** is _due_ now, _Ann_."],
    ["but none breaks a word", "<p><b>un</b>able <b><i>un</i></b>paid re<em>new</em> <i>a</i><b>b</b></p>", "unable unpaid renew ab"],
    ["and paragraphs break words", "<div><b>one</b><p>two</p><i>three</i><br>four</div>", "**one**\n\ntwo\n\n_three_  \nfour"],
    ["deleted and inserted", "<p>Pay <del>100</del> <ins>80</ins> <s>now</s>.</p>", "Pay ~~100~~ <ins>80</ins> ~~now~~."],
    ["deleted and inserted paragraphs", "<del><p>one</p><p>two</p></del><ins><p>three</p></ins>", "~~one~~\n\n~~two~~\n\n<ins>three</ins>"],
    [
      "powers and indices",
      "10<sup>6</sup> m<sup>2</sup> of H<sub>2</sub>O, x<sup>n+1</sup>, 10<sup>-3</sup>, a<sub>i,j</sub>",
      "10^6 m^2 of H_2O, x^(n+1), 10^-3, a_(i,j)",
    ],
    [
      "notes",
      "Sales rose by 7<sup>1</sup> in 2026<sup>2</sup>, they say.<sup>3</sup> Others<sup>4,5</sup> do not.",
      "Sales rose by 7 [1] in 2026 [2], they say. [3] Others [4,5] do not.",
    ],
    ["notes with links, with brackets or without", "One<sup><a href=#n>7</a></sup>, two<sup><a href=#n>[8]</a></sup>", "One [7], two[8]"],
    ["ordinals and trade marks", "the 1<sup>st</sup> Acme<sup>TM</sup>", "the 1st AcmeTM"],
    ["letters of a list", "<ol type=a start=3><li>one<li><p>two</p></ol>", "c. one\n\nd. two"],
    [
      "Roman and own numbers of a list",
      "<ol type=I><li>one<li value=9>two</ol><ol reversed><li>x<li>y</ol>",
      "I. one\n\nIX. two\n\n2. x\n\n1. y",
    ],
    ["a heading of two lines", "<h2>One<br>two</h2>", "## One two"],
    ["a heading in a link", "<a href=https://example.com/x><h2>Post</h2><p>Words</p></a>", "## Post\n\nWords\n\n<https://example.com/x>"],
  ]);
});

describe("a formula comes once", () => {
  const annotated = '<math><semantics><mi>y</mi><annotation encoding="application/x-tex">y^2</annotation></semantics></math>';
  holds([
    [
      "as KaTeX draws it",
      `<span class=katex><span class=katex-mathml>${annotated}</span><span class=katex-html aria-hidden=true>y2</span></span>`,
      "$y^2$",
    ],
    [
      "as an encyclopedia draws it",
      `<span class=mwe-math-element><span style="display:none">${annotated}</span><img aria-hidden=true alt="y^2"></span>`,
      "$y^2$",
    ],
    [
      "as MathJax draws it",
      "<mjx-container><mjx-math aria-hidden=true>x</mjx-math><mjx-assistive-mml><math><mi>x</mi></math></mjx-assistive-mml></mjx-container>",
      "x",
    ],
    ["as an older MathJax draws it", "<span class=MathJax><nobr aria-hidden=true>x</nobr></span><script type=math/tex>x</script>", "x"],
    ["as nobody has drawn it", "Area <script type=math/tex>\\pi r^2</script>", "Area $\\pi r^2$"],
    [
      "as MathML alone",
      "<math><mfrac><mrow><mo>-</mo><mi>b</mi></mrow><mrow><mn>2</mn><mi>a</mi></mrow></mfrac><msqrt><msup><mi>x</mi><mn>2</mn></msup></msqrt></math>",
      "(-b)/(2a)sqrt(x^2)",
    ],
  ]);
});

test("a page that scripts make is told", () => {
  expect(readWhole("<div id=root></div><script src=x></script>").isShell).toBe(true);
  expect(readWhole("<p>words</p>").isShell).toBe(false);
});
