import {
  attributeOf,
  isElement,
  isNamed,
  isText,
  makeElement,
  makeText,
  type PageElement,
  type PageNode,
  setChildren,
} from "./page-tree.ts";

/** A list whose items have letters, Roman or own numbers, as lines that begin with them: Markdown numbers all lists alike. */
export function numberList(list: PageElement): readonly PageNode[] {
  const items = list.childNodes.filter((each) => isNamed(each, "li"));
  const kind = attributeOf(list, "type") ?? /list-style(?:-type)?\s*:\s*([\w-]{1,30})/.exec(attributeOf(list, "style") ?? "")?.[1] ?? "1";
  const write = writers.get(kind);
  const isReversed = attributeOf(list, "reversed") !== undefined;
  if (!write && !isReversed && items.every((item) => attributeOf(item, "value") === undefined)) return [list];
  let number = integer(attributeOf(list, "start")) ?? (isReversed ? items.length : 1);
  for (const item of items) {
    number = integer(attributeOf(item, "value")) ?? number;
    begin(item, `${number > 0 && write ? write(number) : number}. `);
    number += isReversed ? -1 : 1;
  }
  return [
    makeElement(
      "div",
      list.childNodes.map((each) => (isNamed(each, "li") ? makeElement("div", each.childNodes) : each)),
    ),
  ];
}

function integer(text: string | undefined): number | undefined {
  const number = Number.parseInt(text ?? "", 10);
  return Number.isNaN(number) ? undefined : number;
}

/** Writes before the first words of an item, which may stand in a paragraph. */
function begin(item: PageElement, mark: string): void {
  const first = item.childNodes.find((each) => isElement(each) || (isText(each) && each.value.trim() !== ""));
  if (first && isNamed(first, "p", "div")) begin(first, mark);
  else setChildren(item, [makeText(mark), ...item.childNodes]);
}

const letters = (number: number): string => {
  const before = Math.floor((number - 1) / 26);
  return `${before > 0 ? letters(before) : ""}${String.fromCharCode(97 + ((number - 1) % 26))}`;
};

const numerals = [
  ...([
    [1000, "m"],
    [900, "cm"],
    [500, "d"],
    [400, "cd"],
    [100, "c"],
    [90, "xc"],
  ] as const),
  ...([
    [50, "l"],
    [40, "xl"],
    [10, "x"],
    [9, "ix"],
    [5, "v"],
    [4, "iv"],
    [1, "i"],
  ] as const),
] as const;

function roman(number: number): string {
  if (number >= 4_000) return String(number);
  let [left, text] = [number, ""];
  for (const [value, sign] of numerals) {
    text += sign.repeat(Math.floor(left / value));
    left %= value;
  }
  return text;
}

const writers: ReadonlyMap<string, (number: number) => string> = new Map([
  ...["a", "lower-alpha", "lower-latin"].map((kind) => [kind, letters] as const),
  ...["A", "upper-alpha", "upper-latin"].map((kind) => [kind, (number: number) => letters(number).toUpperCase()] as const),
  ...["i", "lower-roman"].map((kind) => [kind, roman] as const),
  ...["I", "upper-roman"].map((kind) => [kind, (number: number) => roman(number).toUpperCase()] as const),
]);
