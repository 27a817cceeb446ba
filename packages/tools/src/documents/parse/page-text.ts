/** A run of text where it stands on a page, in points from the lower left. */
export interface TextRun {
  readonly text: string;
  readonly x: number;
  readonly y: number;
  readonly width: number;
  /** Height of its letters. */
  readonly height: number;
  /** True where a line ends behind it. */
  readonly endsLine: boolean;
}

interface Line {
  readonly text: string;
  readonly y: number;
  readonly height: number;
}

/** A gap between runs of one line that is no blank: the next cell of a row. In heights of a letter. */
const gapOfCells = 1.5;
/** Space between lines that ends a paragraph, in the usual space of the page. */
const gapOfParagraphs = 1.4;

/** Text of a page as a reader sees it: a line for each line, a tab between cells of a row, a blank line between paragraphs. */
export function writePage(runs: readonly TextRun[]): string {
  const lines = linesOf(runs);
  const usual = usualSpace(lines);
  const text = lines.map((line, index) => {
    const before = lines[index - 1];
    const space = before && before.y - line.y;
    const isApart = space !== undefined && (space < -line.height || space > Math.max(usual * gapOfParagraphs, line.height * 1.3));
    return `${isApart ? "\n" : ""}${line.text}\n`;
  });
  return text.join("").trimEnd();
}

function linesOf(runs: readonly TextRun[]): readonly Line[] {
  const lines: Line[] = [];
  let open: TextRun[] = [];
  const close = () => {
    const text = joinRuns(open);
    const tallest = open.reduce((most, { height }) => Math.max(most, height), 0);
    if (text !== "") lines.push({ text, y: open.find((run) => run.text.trim() !== "")?.y ?? 0, height: tallest });
    open = [];
  };
  for (const run of runs) {
    open.push(run);
    if (run.endsLine) close();
  }
  close();
  return lines;
}

/** Letters of at most this share of those beside them, off their line by more than this share, are raised or lowered. */
const smaller = 0.8;
const offLine = 0.08;
/** A number or one letter: more letters are the ending of a number, as in 29th. */
const shifted = /^(?:[-+\u2212]?\d[\d.,]*|\p{L})$/u;

/** What stands between two runs that touch: `^` or `_` as in 10^6 and CO_2, or a blank behind the number of a note. */
function betweenShifted(last: TextRun, run: TextRun, text: string): string {
  const [small, large] = last.height < run.height ? [last, run] : [run, last];
  const rise = small.y - large.y;
  if (small.height > large.height * smaller || Math.abs(rise) < large.height * offLine || !shifted.test(small.text.trim())) return "";
  if (small === run) return rise > 0 ? "^" : "_";
  return text.trim() === last.text.trim() && /^[\p{L}\p{N}]/u.test(run.text) ? " " : "";
}

function joinRuns(runs: readonly TextRun[]): string {
  let text = "";
  let last: TextRun | undefined;
  for (const run of runs) {
    if (run.text.trim() === "") {
      if (run.text !== "" && !/\s$/.test(text)) text += " ";
      continue;
    }
    const gap = last === undefined ? 0 : run.x - (last.x + last.width);
    if (gap > gapOfCells * run.height) text = `${text.trimEnd()}\t`;
    else if (last && !/\s$/.test(text)) text += betweenShifted(last, run, text);
    text += run.text;
    last = run;
  }
  return text.trim();
}

/** The median, so that headings and tables weigh little. */
function usualSpace(lines: readonly Line[]): number {
  const spaces = lines.flatMap(({ y }, index) => {
    const space = (lines[index - 1]?.y ?? y) - y;
    return space > 0 ? [space] : [];
  });
  return spaces.sort((a, b) => a - b)[Math.floor((spaces.length - 1) / 2)] ?? 0;
}
