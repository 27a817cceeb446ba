/** One word of a command line. */
export interface ShellWord {
  /** Without its quotes. */
  readonly text: string;
  /**
   * What the shell expands it by: braces and wildcards stand bare, everything that is literal and would read as one has a backslash before it,
   * and a variable or substitution is `*`. Undefined when the shell takes the word as it stands.
   */
  readonly pattern: string | undefined;
  /** It has quotes, so that another shell (`sh -c '...'`) may read it as a line of its own. */
  readonly quoted: boolean;
  /** Where a redirect leads to. */
  readonly redirect: boolean;
  /** A variable or substitution is part of it. */
  readonly computed: boolean;
}

export type ShellCommand = readonly ShellWord[];

const special = new Set("*?[]{},\\");
const operators = new Set(";&|()\n");
/** Deepest nesting of lines in lines. */
const maxDepth = 4;
/** Programs that read a word, or what stands between the marks of a here-document, as a line. */
const readers =
  /^(?:ba|da|z|k|mk|a|fi|tc|c)?sh[\d.]*$|^(?:eval|source|busybox|su|sudo|doas|ssh|script|watch|entr|parallel|xargs|find|fd|env|flock|setsid|make|trap|coproc)$/;
const assignment = /^[A-Za-z_]\w*=/;

/**
 * The simple commands of a line, by a generous reading: what stands in a substitution, or in quotes for a shell that the line starts, counts
 * as commands of its own. It is no judgement of what the line does.
 */
export function commandsOf(line: string): readonly ShellCommand[] {
  return readCommands(line, 0);
}

function readCommands(line: string, depth: number): readonly ShellCommand[] {
  if (depth > maxDepth) return [];
  const { text, bodies } = takeDocuments(line);
  const lexer = new Lexer(text);
  const commands = lexer.read();
  const hasReader = commands.some((words) => words.some((word) => readers.test(lastPart(word.text))));
  const inner = hasReader ? [...commands.flatMap((words) => words.filter(mayBeLine).map((word) => word.text)), ...bodies] : [];
  return [...commands, ...[...lexer.inner, ...inner].flatMap((text) => readCommands(text, depth + 1))];
}

const mayBeLine = ({ text, quoted }: ShellWord) => quoted && text.length > 1;
export const lastPart = (text: string) => text.slice(text.lastIndexOf("/") + 1);

/** Takes the bodies of here-documents out: the shell expands no wildcards in them. */
function takeDocuments(line: string): { readonly text: string; readonly bodies: readonly string[] } {
  if (!line.includes("<<")) return { text: line, bodies: [] };
  const [kept, bodies]: [string[], string[]] = [[], []];
  const ends: string[] = [];
  let body: string[] = [];
  for (const row of line.split("\n")) {
    const [end] = ends;
    if (end === undefined) {
      kept.push(row);
      for (const [, , , name = ""] of row.matchAll(/(?<!<)<<(-?)[ \t]*(["'\\]?)([\w.-]+)/g)) ends.push(name);
    } else if (row.replace(/^\t+/, "") === end) {
      ends.shift();
      bodies.push(body.join("\n"));
      body = [];
    } else body.push(row);
  }
  // One without an end is no document to every reader of the line.
  return ends.length > 0 ? { text: line, bodies: [] } : { text: kept.join("\n"), bodies };
}

class Lexer {
  /** Lines that stand inside double quotes as substitutions. */
  readonly inner: string[] = [];
  readonly #line: string;
  readonly #commands: ShellWord[][] = [];
  #at = 0;
  #words: ShellWord[] = [];
  #text = "";
  #pattern = "";
  #started = false;
  #quoted = false;
  #magic = false;
  #computed = false;
  #redirect = false;

  constructor(line: string) {
    this.#line = line;
  }

  read(): readonly ShellCommand[] {
    while (this.#at < this.#line.length) this.#step(this.#line[this.#at] as string);
    this.#endCommand();
    return this.#commands;
  }

  #step(char: string): void {
    const next = this.#line[this.#at + 1] ?? "";
    if (char === "\\") this.#escape(next);
    else if (char === "'") this.#quote(this.#line.indexOf("'", this.#at + 1));
    else if (char === '"') this.#doubleQuote();
    else if (char === "$") this.#dollar(next);
    else if (char === "`") this.#substitution();
    else if (next === "(" && "?*+@!".includes(char)) this.#group();
    else if (operators.has(char)) this.#operator(char, next);
    else if (char === "<" || char === ">") this.#redirection();
    else if (/\s/.test(char)) this.#skip(1, () => this.#endWord());
    else if (char === "#" && !this.#started) this.#at = ends(this.#line.indexOf("\n", this.#at), this.#line.length);
    else this.#bare(char);
  }

  #bare(char: string): void {
    this.#add(char, char);
    if ("*?[{".includes(char)) this.#magic = true;
    this.#at++;
  }

  #skip(count: number, act: () => void): void {
    this.#at += count;
    act();
  }

  #add(text: string, pattern: string): void {
    this.#started = true;
    this.#text += text;
    this.#pattern += pattern;
  }

  #variable(text: string): void {
    this.#add(text, "*");
    this.#computed = true;
  }

  #literal(text: string): void {
    this.#add(text, escapeLiteral(text));
  }

  #escape(next: string): void {
    if (next !== "\n") this.#literal(next);
    this.#at += 2;
  }

  #quote(end: number): void {
    const close = ends(end, this.#line.length);
    this.#quoted = true;
    this.#literal(this.#line.slice(this.#at + 1, close));
    this.#at = close + 1;
  }

  #doubleQuote(): void {
    const [whole = '"', body = ""] = /^"((?:[^"\\]|\\.)*)"?/s.exec(this.#line.slice(this.#at)) ?? [];
    this.#quoted = true;
    this.#started = true;
    if (/\$\(|`/.test(body)) this.inner.push(body);
    for (const [part] of body.matchAll(/\\.|\$\{[^}]*\}|\$\w+|[^\\$]+|[\\$]/gs)) {
      if (/^\$[\w{]/.test(part)) this.#variable(part);
      else this.#literal(/^\\[$`"\\]$/.test(part) ? part.slice(1) : part);
    }
    this.#at += whole.length;
  }

  #dollar(next: string): void {
    if (next === "'" || next === '"') this.#at++;
    else if (next === "(") {
      this.#variable("");
      this.#skip(2, () => this.#endCommand());
    } else {
      const [name = "$"] = /^\$(?:\{[^}]*\}?|\w+|[@*#?$!-])?/.exec(this.#line.slice(this.#at)) ?? [];
      if (name.length > 1) this.#variable(name);
      else this.#literal(name);
      this.#at += name.length;
    }
  }

  #substitution(): void {
    this.#variable("");
    this.#skip(1, () => this.#endCommand());
  }

  /** `!(a|b)` of bash with extglob: it may stand for any name. */
  #group(): void {
    const close = ends(this.#line.indexOf(")", this.#at), this.#line.length);
    this.#add(this.#line.slice(this.#at, close + 1), "*");
    this.#magic = true;
    this.#at = close + 1;
  }

  #operator(char: string, next: string): void {
    this.#skip(1, () => this.#endCommand());
    // What follows a substitution is the end of a name whose beginning is only known while it runs.
    if (char === ")" && next !== "" && !/[\s;&|<>()]/.test(next)) this.#variable("");
  }

  #redirection(): void {
    if (/^\d*$/.test(this.#text)) this.#clear();
    this.#endWord();
    this.#redirect = true;
    this.#at += /^[<>]+[&|]?-?/.exec(this.#line.slice(this.#at))?.[0].length ?? 1;
  }

  #endWord(): void {
    if (this.#started && (this.#text !== "" || this.#quoted || this.#magic || this.#computed)) {
      const [text, quoted, redirect, computed] = [this.#text, this.#quoted, this.#redirect, this.#computed];
      // The value of a variable that the line sets is expanded where the variable stands, quotes or not.
      const isSet = assignment.test(text) && /[*?[{]/.test(text);
      const pattern = isSet ? text.replace(assignment, "") : this.#magic ? this.#pattern.replace(assignment, "") : undefined;
      this.#words.push({ text, pattern, quoted, redirect, computed });
      this.#redirect = false;
    }
    this.#clear();
  }

  #clear(): void {
    this.#text = "";
    this.#pattern = "";
    this.#started = false;
    this.#quoted = false;
    this.#magic = false;
    this.#computed = false;
  }

  #endCommand(): void {
    this.#endWord();
    if (this.#words.length > 0) this.#commands.push(this.#words);
    this.#words = [];
    this.#redirect = false;
  }
}

const ends = (found: number, otherwise: number) => (found === -1 ? otherwise : found);

export function escapeLiteral(text: string): string {
  return [...text].map((char) => (special.has(char) ? `\\${char}` : char)).join("");
}
