import { childOf, elementsOf, settingOf, type XmlElement } from "./xml.ts";

/** How a run looks, as far as it changes what its words say. */
export interface Look {
  readonly bold?: boolean;
  readonly italic?: boolean;
  readonly struck?: boolean;
  readonly hidden?: boolean;
  readonly position?: "superscript" | "subscript" | "baseline";
  readonly font?: string;
}

/** Where a paragraph stands in a list: `num` names the list, of which `level` counts from 0. */
export interface ListItem {
  readonly num: string;
  readonly level: number;
}

interface Style {
  readonly name: string;
  readonly base?: string;
  readonly paragraph?: XmlElement;
  readonly run?: XmlElement;
}

/** Styles that are based on one another in a circle, or in more steps, are hostile. */
const mostSteps = 30;

/** The styles of a document by their ids (ECMA-376, part 1, 17.7). */
export class DocxStyles {
  readonly #styles: ReadonlyMap<string, Style>;
  readonly #looks = new Map<string, Look>();

  constructor(root: XmlElement | undefined) {
    this.#styles = new Map(
      (root ? elementsOf(root) : [])
        .filter(({ name }) => name === "w:style")
        .map((style) => {
          const [base, paragraph, run] = [settingOf(style, "w:basedOn"), childOf(style, "w:pPr"), childOf(style, "w:rPr")];
          const parts = { ...(base !== undefined && { base }), ...(paragraph && { paragraph }), ...(run && { run }) };
          return [style.attributes.get("w:styleId") ?? "", { name: (settingOf(style, "w:name") ?? "").toLowerCase(), ...parts }];
        }),
    );
  }

  /** A style and those that it is based on, itself first. */
  *#chain(id: string | undefined): Generator<Style & { readonly id: string }> {
    for (let next = id, steps = 0; next !== undefined && steps < mostSteps; steps += 1) {
      const style = this.#styles.get(next);
      if (!style) return;
      yield { id: next, ...style };
      next = style.base;
    }
  }

  /** What the properties of a run and its style say together. */
  look(properties: XmlElement | undefined): Look {
    return { ...this.lookOfStyle(settingOf(properties, "w:rStyle")), ...lookOf(properties) };
  }

  lookOfStyle(id: string | undefined): Look {
    if (id === undefined) return {};
    let look = this.#looks.get(id);
    if (!look) {
      look = Object.assign({}, ...[...this.#chain(id)].reverse().map(({ run }) => lookOf(run))) as Look;
      this.#looks.set(id, look);
    }
    return look;
  }

  /** 1 to 6 for a heading. The outline level decides, then the name of the style. */
  headingLevel(properties: XmlElement | undefined): number | undefined {
    const own = settingOf(properties, "w:outlineLvl");
    if (own !== undefined) return levelOfOutline(own);
    for (const { name, paragraph } of this.#chain(settingOf(properties, "w:pStyle"))) {
      const [, number] = /^heading ([1-9])$/.exec(name) ?? [];
      if (number !== undefined) return Math.min(6, Number(number));
      if (name === "title") return 1;
      const outline = settingOf(paragraph, "w:outlineLvl");
      if (outline !== undefined) return levelOfOutline(outline);
    }
    return undefined;
  }

  /** The list that a paragraph or its style names. `levelOfStyle` says which level of a list is linked with a style. */
  listItem(properties: XmlElement | undefined, levelOfStyle: (num: string, style: string) => number | undefined): ListItem | undefined {
    const own = childOf(properties, "w:numPr");
    let [num, level] = [settingOf(own, "w:numId"), settingOf(own, "w:ilvl")];
    let linked: number | undefined;
    for (const { id, paragraph } of num === undefined ? this.#chain(settingOf(properties, "w:pStyle")) : []) {
      const inherited = childOf(paragraph, "w:numPr");
      num ??= settingOf(inherited, "w:numId");
      level ??= settingOf(inherited, "w:ilvl");
      linked ??= num === undefined ? undefined : levelOfStyle(num, id);
    }
    return num === undefined ? undefined : { num, level: Number(level ?? linked ?? 0) };
  }

  /** The list that a style of lists stands for. */
  listOfStyle(id: string): string | undefined {
    for (const { paragraph } of this.#chain(id)) {
      const num = settingOf(childOf(paragraph, "w:numPr"), "w:numId");
      if (num !== undefined) return num;
    }
    return undefined;
  }
}

/** 9 stands for text of the body. */
function levelOfOutline(value: string): number | undefined {
  const level = Number(value);
  return level >= 0 && level < 9 ? Math.min(6, level + 1) : undefined;
}

function lookOf(properties: XmlElement | undefined): Look {
  if (!properties) return {};
  const look: { -readonly [Member in keyof Look]: Look[Member] } = {};
  for (const { name, attributes } of elementsOf(properties)) {
    if (name === "w:b") look.bold = isOn(attributes);
    else if (name === "w:i") look.italic = isOn(attributes);
    else if (name === "w:strike" || name === "w:dstrike") look.struck = look.struck === true || isOn(attributes);
    else if (name === "w:vanish") look.hidden = isOn(attributes);
    else if (name === "w:rFonts") look.font = attributes.get("w:ascii") ?? attributes.get("w:hAnsi") ?? "";
    else if (name === "w:vertAlign") look.position = positionOf(attributes.get("w:val"));
  }
  return look;
}

const positionOf = (value: string | undefined) => (value === "superscript" || value === "subscript" ? value : "baseline");

/** A property that is there is on, unless it says otherwise (17.17.4). */
export const isOn = (attributes: ReadonlyMap<string, string>, name = "w:val") =>
  !["0", "false", "off"].includes(attributes.get(name)?.toLowerCase() ?? "1");
