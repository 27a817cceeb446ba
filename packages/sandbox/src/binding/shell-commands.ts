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
/** Here-documents without an end: each is looked for to the end of the line. */
const maxOpenDocuments = 8;
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
  // Deeper than anybody writes: everything in it may be a word of a command.
  if (depth > maxDepth) return new Lexer(line.replace(/[$`()"'\\]/g, " ")).read();
  const lexer = new Lexer(line);
  const commands = lexer.read();
  const hasReader = commands.some((words) => words.some((word) => readers.test(lastPart(word.text))));
  const inner = hasReader ? [...commands.flatMap((words) => words.filter(mayBeLine).map((word) => word.text)), ...lexer.documents] : [];
  return [...commands, ...[...lexer.inner, ...inner].flatMap((text) => readCommands(text, depth + 1))];
}

const mayBeLine = ({ text, quoted }: ShellWord) => quoted && text.length > 1;
export const lastPart = (text: string) => text.slice(text.lastIndexOf("/") + 1);

class Lexer {
  /** Lines of substitutions. */
  readonly inner: string[] = [];
  /** Bodies of here-documents: the shell expands no patterns in them. */
  readonly documents: string[] = [];
  readonly #line: string;
  readonly #commands: ShellWord[][] = [];
  readonly #ends: string[] = [];
  #arithmeticEnd = -1;
  #openDocuments = 0;
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
    else if (char === "`") this.#substitution(this.#at + 1, ends(this.#line.indexOf("`", this.#at + 1), this.#line.length));
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
    const close = closeOf(this.#line, this.#at);
    const body = this.#line.slice(this.#at + 1, close);
    this.#quoted = true;
    this.#started = true;
    this.#at = close + 1;
    if (/\$\(|`/.test(body)) {
      this.inner.push(...substitutionsIn(body));
      this.#variable(body);
      return;
    }
    for (const [part] of body.matchAll(/\\.|\$\{[^}]*\}|\$\w+|[^\\$]+|[\\$]/gs)) {
      if (/^\$[\w{]/.test(part)) this.#variable(part);
      else this.#literal(/^\\[$`"\\]$/.test(part) ? part.slice(1) : part);
    }
  }

  #dollar(next: string): void {
    if (next === "'" || next === '"') this.#at++;
    else if (next === "(") this.#substitution(this.#at + 2, closeOf(this.#line, this.#at + 1));
    else {
      const [name = "$"] = /^\$(?:\{[^}]*\}?|\w+|[@*#?$!-])?/.exec(this.#line.slice(this.#at)) ?? [];
      if (name.length > 1) this.#variable(name);
      else this.#literal(name);
      this.#at += name.length;
    }
  }

  #substitution(from: number, close: number): void {
    this.inner.push(this.#line.slice(from, close));
    this.#variable("");
    this.#at = close + 1;
  }

  /** `!(a|b)` of bash with extglob: it may stand for any name. */
  #group(): void {
    const close = ends(this.#line.indexOf(")", this.#at), this.#line.length);
    this.#add(this.#line.slice(this.#at, close + 1), "*");
    this.#magic = true;
    this.#at = close + 1;
  }

  #operator(char: string, next: string): void {
    // `((1<<n))` is no here-document.
    if (char === "(" && next === "(") this.#arithmeticEnd = this.#line.indexOf("))", this.#at);
    this.#skip(1, () => this.#endCommand());
    if (char === "\n") while (this.#ends.length > 0) this.#document(this.#ends.shift() as string);
  }

  /** One that no line ends is none to every reader, and counts as commands. */
  #document(end: string): void {
    if (this.#openDocuments >= maxOpenDocuments) return;
    const body: string[] = [];
    for (let at = this.#at; at < this.#line.length; ) {
      const close = ends(this.#line.indexOf("\n", at), this.#line.length);
      const row = this.#line.slice(at, close);
      at = close + 1;
      if (row.replace(/^\t+/, "") === end) {
        this.#at = at;
        this.documents.push(body.join("\n"));
        return;
      }
      body.push(row);
    }
    this.#openDocuments++;
  }

  #redirection(): void {
    if (/^\d*$/.test(this.#text)) this.#clear();
    this.#endWord();
    const [, mark] = /^<<-?[ \t]*((?:\\.|'[^']*'|"[^"]*"|[^\s;&|<>()'"\\])+)/s.exec(this.#line.slice(this.#at, this.#at + 256)) ?? [];
    if (mark !== undefined && this.#at > this.#arithmeticEnd) this.#ends.push(mark.replace(/\\(.)|["']/gs, "$1"));
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

/** Index of the quote or bracket that closes the one at `start`, or the end of the line. */
function closeOf(line: string, start: number): number {
  const open: string[] = [line[start] as string];
  for (let at = start + 1; at < line.length; at++) {
    const char = line[at] as string;
    const isQuoted = open.at(-1) === '"';
    if (char === "\\") at++;
    else if (char === '"') {
      if (isQuoted) open.pop();
      else open.push(char);
    } else if (isQuoted) {
      if (char === "$" && line[at + 1] === "(") {
        open.push("(");
        at++;
      }
    } else if (char === "'") at = ends(line.indexOf("'", at + 1), line.length);
    else if (char === "(") open.push(char);
    else if (char === ")") open.pop();
    if (open.length === 0) return at;
  }
  return line.length;
}

/** The lines of `$(...)` and backquotes in a text between double quotes. */
function substitutionsIn(body: string): readonly string[] {
  const found: string[] = [];
  for (let at = 0; at < body.length; at++) {
    const isBackquote = body[at] === "`";
    if (body[at] === "\\") at++;
    else if (isBackquote || (body[at] === "$" && body[at + 1] === "(")) {
      const close = isBackquote ? ends(body.indexOf("`", at + 1), body.length) : closeOf(body, at + 1);
      found.push(body.slice(at + (isBackquote ? 1 : 2), close));
      at = close;
    }
  }
  return found;
}

const ends = (found: number, otherwise: number) => (found === -1 ? otherwise : found);

export function escapeLiteral(text: string): string {
  return [...text].map((char) => (special.has(char) ? `\\${char}` : char)).join("");
}
