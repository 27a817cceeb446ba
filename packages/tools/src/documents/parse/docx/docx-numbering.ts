import type { DocxStyles, ListItem } from "./docx-styles.ts";
import { isOn } from "./docx-styles.ts";
import { formatNumber } from "./number-formats.ts";
import { childOf, elementsOf, findAll, settingOf, type XmlElement } from "./xml.ts";

interface Level {
  readonly start: number;
  readonly format: string;
  /** Text of the label, where %1 stands for the number of the first level. */
  readonly text: string;
  /** A paragraph of this level, from 1, or a higher one starts it anew; 0: none does. */
  readonly restart?: number;
  /** All numbers of its label are digits. */
  readonly isLegal: boolean;
  readonly style?: string;
}

interface List {
  /** Lists of one kind are counted together. */
  readonly kind: string;
  readonly levels: ReadonlyMap<number, Level>;
  readonly starts: ReadonlyMap<number, number>;
}

/** What stands before a paragraph of a list. */
export interface Label {
  readonly text: string;
  readonly level: number;
  readonly isBullet: boolean;
}

/** Levels of a list (ECMA-376, part 1, 17.9.6). */
const levels = 9;
/** Lists that stand for one another in a circle, or in more steps, are hostile. */
const mostSteps = 10;

/** Numbers the paragraphs of lists as Word does, in the order of the document (17.9). */
export class DocxNumbering {
  readonly #lists: ReadonlyMap<string, List>;
  readonly #styles: DocxStyles;
  readonly #counts = new Map<string, (number | undefined)[]>();
  readonly #started = new Set<string>();
  /** Formats that are shown as digits, since they are not known. */
  readonly unknownFormats = new Set<string>();

  constructor(root: XmlElement | undefined, styles: DocxStyles) {
    const kinds = new Map((root ? elementsOf(root) : []).flatMap(readKind));
    this.#styles = styles;
    this.#lists = new Map((root ? elementsOf(root) : []).flatMap((element) => readList(element, kinds)));
  }

  levelOfStyle(num: string, style: string): number | undefined {
    return [...(this.#find(num)?.levels ?? [])].find(([, level]) => level.style === style)?.[0];
  }

  #find(num: string): List | undefined {
    let found = this.#lists.get(num);
    for (let steps = 0; found && found.levels.size === 0 && steps < mostSteps; steps += 1) {
      const other = this.#styles.listOfStyle(found.kind.slice(found.kind.indexOf(" ") + 1));
      found = other === undefined ? undefined : this.#lists.get(other);
    }
    return found;
  }

  /** Counts a paragraph and gives its label; undefined where it is in no list. */
  count({ num, level: wanted }: ListItem): Label | undefined {
    const list = this.#find(num);
    const level = Math.max(0, Math.min(levels - 1, Math.trunc(wanted) || 0));
    const own = list?.levels.get(level);
    if (!list || !own) return undefined;
    const counts = this.#countsOf(list);
    const start = list.starts.get(level);
    const first = `${num} ${level}`;
    if (start !== undefined && !this.#started.has(first)) counts[level] = start - 1;
    this.#started.add(first);
    for (let above = 0; above < level; above += 1) counts[above] ??= startOf(list, above);
    counts[level] = (counts[level] ?? startOf(list, level) - 1) + 1;
    for (let below = level + 1; below < levels; below += 1) {
      const { restart } = list.levels.get(below) ?? {};
      if (restart === undefined || level < restart) counts[below] = undefined;
    }
    return { text: this.#write(list, own, counts), level, isBullet: own.format === "bullet" };
  }

  #countsOf({ kind }: List): (number | undefined)[] {
    const counts = this.#counts.get(kind) ?? Array<number | undefined>(levels).fill(undefined);
    this.#counts.set(kind, counts);
    return counts;
  }

  #write(list: List, own: Level, counts: readonly (number | undefined)[]): string {
    if (own.format === "bullet") return "-";
    const text = own.text.replace(/%([1-9])/g, (_, digit: string) => {
      const at = Number(digit) - 1;
      const format = own.isLegal ? "decimal" : (list.levels.get(at)?.format ?? "decimal");
      const number = counts[at] ?? startOf(list, at);
      const written = formatNumber(number, format);
      if (written === undefined) this.unknownFormats.add(format);
      return written ?? String(number);
    });
    return text.replace(/\s+/g, " ").trim();
  }
}

const startOf = ({ levels: all, starts }: List, level: number) => starts.get(level) ?? all.get(level)?.start ?? 1;

type Kind = readonly [id: string, kind: { readonly levels: ReadonlyMap<number, Level>; readonly link?: string }];

function readKind(element: XmlElement): readonly Kind[] {
  if (element.name !== "w:abstractNum") return [];
  const link = settingOf(element, "w:numStyleLink");
  const own = new Map(levelsOf(element));
  return [[element.attributes.get("w:abstractNumId") ?? "", { levels: own, ...(link !== undefined && { link }) }]];
}

function readList(element: XmlElement, kinds: ReadonlyMap<string, Kind[1]>): readonly (readonly [string, List])[] {
  if (element.name !== "w:num") return [];
  const id = settingOf(element, "w:abstractNumId") ?? "";
  const kind = kinds.get(id);
  const overrides = elementsOf(element).filter(({ name }) => name === "w:lvlOverride");
  const starts = overrides.flatMap((each): [number, number][] => {
    const start = settingOf(each, "w:startOverride");
    return start === undefined ? [] : [[Number(each.attributes.get("w:ilvl") ?? 0), Number(start)]];
  });
  const own = new Map([...(kind?.levels ?? []), ...overrides.flatMap(levelsOf)]);
  const name = kind?.link === undefined || own.size > 0 ? id : `${id} ${kind.link}`;
  return [[element.attributes.get("w:numId") ?? "", { kind: name, levels: own, starts: new Map(starts) }]];
}

/** A level without a number is the first: some producers leave it out. */
const levelsOf = (element: XmlElement): (readonly [number, Level])[] =>
  elementsOf(element)
    .filter(({ name }) => name === "w:lvl")
    .map((level) => [Number(level.attributes.get("w:ilvl") ?? 0), readLevel(level)]);

function readLevel(level: XmlElement): Level {
  const [restart, style, legal] = [settingOf(level, "w:lvlRestart"), settingOf(level, "w:pStyle"), childOf(level, "w:isLgl")];
  return {
    start: Number(settingOf(level, "w:start") ?? 1) || 0,
    format: formatOf(level),
    text: settingOf(level, "w:lvlText") ?? "",
    isLegal: legal !== undefined && isOn(legal.attributes),
    ...(restart !== undefined && { restart: Number(restart) }),
    ...(style !== undefined && { style }),
  };
}

/** Newer formats stand in an alternative: a sample, such as `001, 002, 003, ...`. */
function formatOf(level: XmlElement): string {
  const [found] = findAll(level, "w:numFmt");
  const sample = found?.attributes.get("w:format")?.split(",")[0]?.trim() ?? "";
  return /^0{1,9}1$/.test(sample) ? sample : (found?.attributes.get("w:val") ?? "decimal");
}
