/** One setting of a git configuration. Section and key in lower case, as git compares them; the subsection as written. */
export interface Setting {
  readonly section: string;
  readonly subsection: string | undefined;
  readonly key: string;
  readonly value: string;
}

const escapes: Readonly<Record<string, string>> = { n: "\n", t: "\t", b: "\b", '"': '"', "\\": "\\" };

/** As people write it: `remote.origin.url`. */
export function nameOf({ section, subsection, key }: Setting): string {
  return subsection === undefined ? `${section}.${key}` : `${section}.${subsection}.${key}`;
}

/** Reads a configuration file as git does (git-config(1), Syntax). Undefined for what git may read otherwise, or refuses. */
export function readSettings(text: string): readonly Setting[] | undefined {
  try {
    return new SettingsReader(text).read();
  } catch {
    return undefined;
  }
}

class Unreadable extends Error {}

class SettingsReader {
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    if (text.includes("\0") || text.includes("\uFFFD")) throw new Unreadable();
    this.#text = text.replace(/^\uFEFF/, "").replaceAll("\r\n", "\n");
  }

  read(): Setting[] {
    const settings: Setting[] = [];
    let place: Pick<Setting, "section" | "subsection"> | undefined;
    for (;;) {
      this.#match(/[ \t\n]*/y);
      const next = this.#text[this.#at];
      if (next === undefined) return settings;
      if (next === "#" || next === ";") this.#match(/[^\n]*/y);
      else if (next === "[") place = this.#readHeader();
      else if (place) settings.push({ ...place, ...this.#readSetting() });
      else throw new Unreadable();
    }
  }

  #match(pattern: RegExp): RegExpExecArray {
    pattern.lastIndex = this.#at;
    const found = pattern.exec(this.#text);
    if (!found) throw new Unreadable();
    this.#at = pattern.lastIndex;
    return found;
  }

  #readHeader(): Pick<Setting, "section" | "subsection"> {
    const [, name = "", quoted] = this.#match(/\[([A-Za-z0-9.-]+)(?:[ \t]+"((?:[^"\\\n]|\\[^\n])*)")?\]/y);
    if (quoted !== undefined) return { section: name.toLowerCase(), subsection: quoted.replace(/\\(.)/g, "$1") };
    const [section = "", ...rest] = name.toLowerCase().split(".");
    return { section, subsection: rest.length === 0 ? undefined : rest.join(".") };
  }

  #readSetting(): Pick<Setting, "key" | "value"> {
    const [, key = "", equals] = this.#match(/([A-Za-z][A-Za-z0-9-]*)[ \t]*(=|(?=\n|$|[#;]))/y);
    return { key: key.toLowerCase(), value: equals === "=" ? this.#readValue() : "true" };
  }

  #readValue(): string {
    let value = "";
    let blanks = "";
    let quoted = false;
    this.#match(/[ \t]*/y);
    for (; this.#at < this.#text.length; this.#at++) {
      const character = this.#text[this.#at] as string;
      if (character === "\n") {
        if (quoted) throw new Unreadable();
        break;
      }
      if (!quoted && (character === " " || character === "\t")) {
        blanks += character;
        continue;
      }
      if (!quoted && (character === "#" || character === ";")) {
        this.#match(/[^\n]*/y);
        break;
      }
      value += blanks;
      blanks = "";
      if (character === '"') quoted = !quoted;
      else if (character === "\\") value += this.#readEscape();
      else value += character;
    }
    if (quoted) throw new Unreadable();
    return value;
  }

  #readEscape(): string {
    const next = this.#text[++this.#at];
    if (next === "\n") return "";
    const meant = next === undefined ? undefined : Object.hasOwn(escapes, next) ? escapes[next] : undefined;
    if (meant === undefined) throw new Unreadable();
    return meant;
  }
}

/** Writes settings so that git reads the same. */
export function writeSettings(settings: readonly Setting[]): string {
  const lines: string[] = [];
  let last: string | undefined;
  for (const { section, subsection, key, value } of settings) {
    const header = subsection === undefined ? `[${section}]` : `[${section} "${subsection.replace(/[\\"]/g, "\\$&")}"]`;
    if (header !== last) lines.push(header);
    last = header;
    lines.push(`\t${key} = "${value.replace(/[\\"]/g, "\\$&").replaceAll("\n", "\\n").replaceAll("\t", "\\t").replaceAll("\b", "\\b")}"`);
  }
  return lines.map((line) => `${line}\n`).join("");
}
