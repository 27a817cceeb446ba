// Writes the documents of the campaign into a folder, below it one folder for each maker: node make.ts FOLDER
import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { makeMarkdown, markdownFeatures } from "./markdown.ts";
import { makePage, pageFeatures } from "./pages.ts";
import { makePdf, pdfFeatures } from "./pdf.ts";
import { Text } from "./text.ts";
import { makeWord, wordFeatures } from "./word.ts";

const [root = ""] = process.argv.slice(2);
const folder = (name: string) => {
  const path = join(root, name);
  mkdirSync(path, { recursive: true });
  return path;
};
const require = createRequire(import.meta.url);

interface Planned {
  readonly name: string;
  readonly text: Text;
  readonly things: readonly string[];
}

let seed = 0;

/** One document for each thing, and some of several. */
function plan(features: readonly string[], mixed: number): readonly Planned[] {
  const next = () => new Text(++seed);
  const single = features.map((thing) => ({ name: thing.replaceAll(" ", "-"), text: next(), things: [thing] }));
  const several = Array.from({ length: mixed }, (_, index) => {
    const text = next();
    return { name: `several-${String(index + 1).padStart(2, "0")}`, text, things: text.some(features, text.int(3, 7)) };
  });
  return [...single, ...several];
}

/** Documents of mammoth's own tests, which its package holds. */
function copyMammoth(): void {
  const from = join(dirname(require.resolve("mammoth/package.json")), "test/test-data");
  for (const name of readdirSync(from).filter((each) => each.endsWith(".docx"))) cpSync(join(from, name), join(folder("mammoth"), name));
}

async function makeOwn(): Promise<void> {
  for (const { name, text, things } of plan(wordFeatures, 46))
    writeFileSync(join(folder("docx"), `${name}.docx`), await makeWord(text, things));
  for (const { name, text, things } of plan(pdfFeatures, 41))
    writeFileSync(join(folder("pdfkit"), `${name}.pdf`), await makePdf(text, things));
  for (const { name, text, things } of plan(pageFeatures, 10)) writeFileSync(join(folder("html"), `${name}.html`), makePage(text, things));
}

const run = (program: string, args: readonly string[], env: Readonly<Record<string, string>> = {}) =>
  execFileSync(program, args, { stdio: ["ignore", "ignore", "pipe"], env: { ...process.env, ...env } });

/** One start of LibreOffice for each kind of result. `from` holds what it converts. */
function convert(
  to: string,
  files: readonly string[],
  { filter, reads }: { readonly filter?: string; readonly reads?: string } = {},
): void {
  const profile = `-env:UserInstallation=file://${folder("work/profile")}`;
  const out = folder(`work/${to}`);
  const target = filter === undefined ? to : `${to}:${filter}`;
  run("soffice", [
    profile,
    "--headless",
    ...(reads === undefined ? [] : [`--infilter=${reads}`]),
    "--convert-to",
    target,
    "--outdir",
    out,
    ...files,
  ]);
  const from = files[0]?.split(".").at(-1);
  // Pictures beside a page of HTML are no documents.
  for (const name of readdirSync(out).filter((each) => each.endsWith(`.${to}`)))
    renameSync(join(out, name), join(folder("libreoffice"), name.replace(/\.(\w+)$/, `-of-${from}.$1`)));
}

function makeOffice(): void {
  const files = (maker: string) =>
    readdirSync(join(root, maker))
      .sort()
      .map((name) => join(root, maker, name));
  const word = files("docx");
  const pages = files("html");
  const writer = { reads: "HTML (StarWriter)" };
  convert("docx", pages.slice(0, 14), { ...writer, filter: "MS Word 2007 XML" });
  convert("odt", pages.slice(14, 16), { ...writer, filter: "writer8" });
  convert("pdf", pages.slice(14, 26), { ...writer, filter: "writer_pdf_Export" });
  convert("docx", word.slice(0, 12), { filter: "MS Word 2007 XML" });
  convert("pdf", word.slice(0, 26));
  convert("html", word.slice(26, 34), { filter: "HTML (StarWriter)" });
  for (const to of ["rtf", "doc"]) convert(to, word.slice(34, 36));
  const text = new Text(++seed);
  const tables = [1, 2, 3].map((number) => {
    const path = join(folder("work"), `table-${number}.csv`);
    const rows = Array.from({ length: text.int(5, 40) }, () =>
      [text.mark(), `"${text.plain(3)}"`, text.int(1, 9_999), text.foreign()].join(","),
    );
    writeFileSync(path, `code,name,price,note\n${rows.join("\n")}\n`);
    return path;
  });
  for (const to of ["xlsx", "pdf", "ods"]) convert(to, tables);
  for (const [index, path] of tables.entries()) cpSync(path, join(folder("libreoffice"), `table-${index + 1}.csv`));
}

/** Formats that pandoc writes, and how. Undated, so that they are the same each time. */
const written: readonly (readonly [ending: string, count: number, options: readonly string[]])[] = [
  ["docx", 26, ["--to=docx"]],
  ["html", 12, ["--to=html", "--standalone", "--mathml"]],
  ["ipynb", 10, ["--to=ipynb"]],
  ["md", 5, ["--to=gfm"]],
  ["odt", 2, ["--to=odt"]],
  ["epub", 2, ["--to=epub"]],
  ["rtf", 2, ["--to=rtf", "--standalone"]],
  ["pptx", 2, ["--to=pptx"]],
];

function makePandoc(): void {
  const env = { SOURCE_DATE_EPOCH: "1767323045" };
  const sources = plan(markdownFeatures, 20).map(({ name, text, things }) => {
    const path = join(folder("work"), `${name}.md`);
    writeFileSync(path, makeMarkdown(text, things));
    return path;
  });
  for (const [ending, count, options] of written)
    for (const path of sources.slice(-count))
      run("pandoc", [...options, path, "-o", join(folder("pandoc"), `${nameOf(path)}.${ending}`)], env);
  for (const name of readdirSync(join(root, "html")).sort().slice(0, 10))
    run("pandoc", [join(root, "html", name), "-o", join(folder("pandoc"), `${nameOf(name)}-of-html.docx`)], env);
}

const nameOf = (path: string) => (path.split("/").at(-1) ?? path).replace(/\.\w+$/, "");

copyMammoth();
await makeOwn();
makeOffice();
makePandoc();
rmSync(join(root, "work"), { recursive: true });
