import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { promisify } from "node:util";
import { parseHTML } from "linkedom";
import { readWord } from "./read-word.ts";
import { Bag, type Found, joinShifted, wordsOf } from "./words.ts";

const run = promisify(execFile);

/** Readers of documents by other hands than the product's, by the ending of a name. */
export const secondReaders: ReadonlyMap<string, (path: string) => Promise<readonly Found[]>> = new Map([
  ["docx", async (path) => readWord(await readFile(path))],
  ["pdf", readPages],
  ["html", async (path) => [{ place: "text", text: textOfPage(await readFile(path, "utf8")) }]],
  ["ipynb", async (path) => readCells(JSON.parse(await readFile(path, "utf8")))],
  ...["md", "csv"].map((ending) => [ending, async (path: string) => [{ place: "text", text: await readFile(path, "utf8") }]] as const),
]);

/** Text that runs askew, which pdftotext cuts into letters. */
const diagonal = /(?:^[ \t]*\S{1,2}[ \t]*\n){4,}/gm;

/** Words that pdftotext finds in both of its orders: one alone cuts or joins words where sizes and directions change. */
async function readPages(path: string): Promise<readonly Found[]> {
  const [pages = [], others = []] = await Promise.all(
    ["-raw", "-layout"].map(async (order) => {
      const { stdout } = await run("pdftotext", [order, "-enc", "UTF-8", path, "-"], { maxBuffer: 100_000_000 });
      return stdout
        .replace(diagonal, "\n")
        .split("\f")
        .map((page) => wordsOf(joinShifted(page)));
    }),
  );
  return pages.map((words, index) => {
    const other = new Bag(others[index]);
    const missing = new Bag(other.take(words));
    return { place: `page ${index + 1}`, text: missing.take(words).join(" ") };
  });
}

/** Elements that hold no words of the page. */
const silent = new Set(["SCRIPT", "STYLE", "TEMPLATE", "HEAD", "RP"]);
/** Elements within a line, which may end within a word. */
const inWord = new Set("A B BDI BDO BIG CODE DEL EM FONT I INS KBD MARK Q S SMALL SPAN STRIKE STRONG TT U WBR".split(" "));

/** The words of a page, by a parser that product and browsers do not have. */
export function textOfPage(html: string): string {
  const pieces: string[] = [];
  const walk = (node: Node) => {
    const { nodeType, nodeName } = node;
    if (nodeType === 3) pieces.push(node.nodeValue ?? "");
    if (nodeType !== 1 || silent.has(nodeName.toUpperCase())) return;
    const name = nodeName.toUpperCase();
    const space = inWord.has(name) ? "" : " ";
    pieces.push(space);
    const [formula] = name === "SEMANTICS" ? [...node.childNodes].filter((child) => child.nodeName.toUpperCase() === "ANNOTATION") : [];
    for (const child of formula ? [formula] : node.childNodes) walk(child);
    // A raised or lowered word begins a word, and ends none: 10^6m.
    if (name !== "SUP" && name !== "SUB") pieces.push(space);
  };
  walk(parseHTML(html).document.documentElement);
  return pieces.join("");
}

interface Node {
  readonly nodeType: number;
  readonly nodeName: string;
  readonly nodeValue: string | null;
  readonly childNodes: Iterable<Node>;
}

interface Notebook {
  readonly cells: readonly { readonly source: string | readonly string[] }[];
}

const readCells = ({ cells }: Notebook): readonly Found[] =>
  cells.map(({ source }) => ({ place: "text", text: typeof source === "string" ? source : source.join("") }));
