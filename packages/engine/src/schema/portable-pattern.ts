/** RE2 counts no further, also where one count stands in another. */
const mostRepeats = 1000;

/** Properties of characters that ranges can say. Others are names that Python's `re` does not have. */
const ranges = new Map([
  ["Cc", "\\x00-\\x1f\\x7f-\\x9f"],
  ["Control", "\\x00-\\x1f\\x7f-\\x9f"],
  ["gc=Cc", "\\x00-\\x1f\\x7f-\\x9f"],
  ["ASCII", "\\x00-\\x7f"],
  ["ASCII_Hex_Digit", "0-9A-Fa-f"],
  ["AHex", "0-9A-Fa-f"],
]);

/**
 * The same regular expression in what JavaScript (with and without `u`), RE2 and Python's `re` read alike, as clients and providers compile the
 * patterns of schemas with any of them. Undefined where there is no such form: look-around, back references, most Unicode properties, set notation,
 * flags other than `s`, and counts beyond 1000.
 */
export function portablePattern(source: string, flags = ""): string | undefined {
  if (/[imv]/.test(flags)) return undefined;
  const written = new PatternWriter(source, flags.includes("s")).write();
  if (written === undefined) return undefined;
  try {
    new RegExp(written, "u");
    return written;
  } catch {
    return undefined;
  }
}

class PatternWriter {
  readonly #source: string;
  readonly #dotAll: boolean;
  #at = 0;
  #out = "";
  /** The highest product of counts in each open group, and of the part that a quantifier would repeat. */
  readonly #counts = [1];
  #last = 1;

  constructor(source: string, dotAll: boolean) {
    this.#source = source;
    this.#dotAll = dotAll;
  }

  write(): string | undefined {
    while (this.#at < this.#source.length) {
      if (!this.#writeNext()) return undefined;
    }
    return this.#out;
  }

  #writeNext(): boolean {
    const rest = this.#source.slice(this.#at);
    switch (rest[0]) {
      case "\\":
        return this.#atom(this.#escape(false));
      case "[":
        return this.#atom(this.#set());
      case "(":
        return this.#open(rest);
      case ")":
        return this.#close();
      case "{":
        return this.#brace(rest);
      case "*":
      case "+":
      case "?":
        return this.#put(rest[0], 1);
      case "]":
      case "}":
        return this.#atom(this.#take(`\\${rest[0]}`, 1));
      case ".":
        return this.#atom(this.#take(this.#dotAll ? "[\\s\\S]" : ".", 1));
      default:
        return this.#atom(this.#take(String.fromCodePoint(rest.codePointAt(0)!), rest.codePointAt(0)! > 0xffff ? 2 : 1));
    }
  }

  #put(text: string, length: number): boolean {
    this.#out += text;
    this.#at += length;
    return true;
  }

  #take(text: string, length: number): string {
    this.#at += length;
    return text;
  }

  #atom(text: string | undefined): boolean {
    if (text === undefined) return false;
    this.#last = 1;
    this.#out += text;
    return true;
  }

  /** A name of a group is written differently by each of them, and a schema has no use for it. */
  #open(rest: string): boolean {
    const [whole, kind] = /^\((\?(?::|<(?![=!])[^>]*>))?/.exec(rest)!;
    if (kind === undefined && rest[1] === "?") return false;
    this.#counts.push(1);
    this.#last = 1;
    return this.#put(kind === "?:" ? "(?:" : "(", whole.length);
  }

  #close(): boolean {
    this.#last = this.#counts.pop() ?? 1;
    if (this.#counts.length === 0) return false;
    this.#raise(this.#last);
    return this.#put(")", 1);
  }

  /** A count, or a brace that stands for itself. */
  #brace(rest: string): boolean {
    const count = /^\{(\d+)(?:,(\d*))?\}/.exec(rest);
    if (!count) return this.#atom(this.#take("\\{", 1));
    const product = Math.max(Number(count[1]), Number(count[2] || 0), 1) * this.#last;
    if (product > mostRepeats) return false;
    this.#last = product;
    this.#raise(product);
    return this.#put(count[0], count[0].length);
  }

  #raise(product: number): void {
    const depth = this.#counts.length - 1;
    this.#counts[depth] = Math.max(this.#counts[depth] ?? 1, product);
  }

  #set(): string | undefined {
    const isNegated = this.#source[this.#at + 1] === "^";
    this.#at += isNegated ? 2 : 1;
    let members = "";
    let last = "";
    while (this.#source[this.#at] !== "]") {
      const character = this.#source[this.#at];
      if (character === undefined) return undefined;
      // With `u`, a hyphen between a class of characters and another member has to be escaped.
      const isBetween = members !== "" && (isClass(last) || isClass(this.#source.slice(this.#at + 1, this.#at + 3)));
      const isSpecial = character === "[" || character === "^" || (character === "-" && isBetween && this.#source[this.#at + 1] !== "]");
      const member = character === "\\" ? this.#escape(true) : this.#take(isSpecial ? `\\${character}` : character, 1);
      if (member === undefined) return undefined;
      members += member;
      last = member;
    }
    this.#at += 1;
    if (members === "") return isNegated ? "[\\s\\S]" : undefined;
    return `[${isNegated ? "^" : ""}${members}]`;
  }

  #escape(inSet: boolean): string | undefined {
    const rest = this.#source.slice(this.#at);
    const property = /^\\([pP])\{([^}]*)\}/.exec(rest);
    if (property) return this.#take(writeProperty(property, inSet) ?? "", property[0].length) || undefined;
    const code = /^\\(?:x([\da-fA-F]{2})|u([\da-fA-F]{4})(?:\\u([dD][c-fC-F][\da-fA-F]{2}))?|u\{([\da-fA-F]+)\})/.exec(rest);
    if (code) return this.#code(code, inSet);
    const control = /^\\c([A-Za-z])/.exec(rest);
    if (control) return this.#take(hex(control[1]!.charCodeAt(0) % 32), 3);
    const letter = rest[1];
    if (letter === undefined || /[1-9kpPuxcq]/.test(letter)) return undefined;
    if (letter === "0") return /^\\0\d/.test(rest) ? undefined : this.#take("\\x00", 2);
    if (letter === "b" && inSet) return this.#take("\\x08", 2);
    if (/[dDwWsStnrfv]/.test(letter) || (/[bB]/.test(letter) && !inSet)) return this.#take(`\\${letter}`, 2);
    return this.#take(writeLiteral(letter, inSet), 2);
  }

  #code([whole, byte, unit, low, point]: RegExpExecArray, inSet: boolean): string | undefined {
    const high = Number.parseInt(byte ?? unit ?? point ?? "", 16);
    const isPair = low !== undefined && high >= 0xd800 && high < 0xdc00;
    const value = isPair ? 0x10000 + ((high - 0xd800) << 10) + (Number.parseInt(low, 16) - 0xdc00) : high;
    if (value > 0x10ffff || (value >= 0xd800 && value < 0xe000)) return undefined;
    const length = low !== undefined && !isPair ? whole.length - 6 : whole.length;
    return this.#take(
      value < 0x20 || (value >= 0x7f && value <= 0xff) ? hex(value) : writeLiteral(String.fromCodePoint(value), inSet),
      length,
    );
  }
}

function writeProperty([, kind, name]: RegExpExecArray, inSet: boolean): string | undefined {
  const range = ranges.get(name!);
  if (range === undefined) return undefined;
  if (inSet) return kind === "p" ? range : undefined;
  return `[${kind === "p" ? "" : "^"}${range}]`;
}

/** Only what has a meaning is escaped: with `u`, JavaScript refuses any other escape. */
function writeLiteral(character: string, inSet: boolean): string {
  const special = inSet ? /[\\\]^[-]/ : /[\\^$.*+?()[\]{}|]/;
  return special.test(character) ? `\\${character}` : character;
}

const isClass = (member: string) => /^\\[dDwWsS]$/.test(member);
const hex = (value: number) => `\\x${value.toString(16).padStart(2, "0")}`;
