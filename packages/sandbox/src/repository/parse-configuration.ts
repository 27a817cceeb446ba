/** One entry of a configuration file of git. */
export interface Setting {
  /** Section and name in lower case, a subsection as it is written: `remote.origin.url`. */
  readonly key: string;
  readonly section: string;
  readonly subsection: string | undefined;
  readonly name: string;
  /** Undefined for a name without "=", which git takes for true. */
  readonly value: string | undefined;
}

const escapes: ReadonlyMap<string, string> = new Map(Object.entries({ n: "\n", t: "\t", b: "\b", '"': '"', "\\": "\\" }));
const blank = /[ \t\n]+|[#;][^\n]*/y;
const header = /\[([A-Za-z0-9.-]+)(?:[ \t]+"((?:[^"\\\n]|\\[^\n])*)")?\]/y;
/** A name without "=" is the last of its line. */
const entry = /([A-Za-z][A-Za-z0-9-]*)[ \t]*(=|(?=\n|$))/y;

/**
 * Reads the file format of git-config(1), "Syntax", and nothing beyond it. Undefined for every text that is not plainly of that form:
 * what git makes of it is then not known.
 */
export function parseConfiguration(text: string): readonly Setting[] | undefined {
  if (/[^\P{Cc}\t\n\r]/u.test(text)) return undefined;
  const source = text.replace(/^\uFEFF/, "").replaceAll("\r\n", "\n");
  if (source.includes("\r")) return undefined;
  const settings: Setting[] = [];
  let place: Pick<Setting, "section" | "subsection"> | undefined;
  for (let at = 0; at < source.length; ) {
    const skipped = matchAt(blank, source, at);
    const found = skipped ? undefined : matchAt(header, source, at);
    if (found) place = readHeader(found);
    at += (skipped ?? found)?.[0].length ?? 0;
    if (skipped || found) continue;
    const named = matchAt(entry, source, at);
    if (!named || !place) return undefined;
    const after = at + named[0].length;
    const read = named[2] === "=" ? readValue(source, after) : { value: undefined, end: after };
    if (!read) return undefined;
    const name = (named[1] ?? "").toLowerCase();
    const key = [place.section, ...(place.subsection === undefined ? [] : [place.subsection]), name].join(".");
    settings.push({ ...place, key, name, value: read.value });
    at = read.end;
  }
  return settings;
}

function matchAt(pattern: RegExp, source: string, at: number): RegExpExecArray | undefined {
  pattern.lastIndex = at;
  return pattern.exec(source) ?? undefined;
}

function readHeader([, written = "", quoted]: RegExpExecArray): Pick<Setting, "section" | "subsection"> {
  if (quoted !== undefined) return { section: written.toLowerCase(), subsection: quoted.replace(/\\(.)/g, "$1") };
  // The old form, `[section.subsection]`, is in lower case as a whole.
  const [section = "", ...rest] = written.toLowerCase().split(".");
  return { section, subsection: rest.length > 0 ? rest.join(".") : undefined };
}

interface ValueRead {
  readonly value: string | undefined;
  readonly end: number;
}

/** Quotes may open and close in the midst of a value; a backslash at the end of a line joins the next one. */
function readValue(source: string, from: number): ValueRead | undefined {
  let value = "";
  let kept = 0;
  let quoted = false;
  for (let at = from; at <= source.length; at++) {
    const letter = source[at];
    if (letter === undefined || letter === "\n") return quoted ? undefined : { value: value.slice(0, kept), end: at };
    if (letter === "\\") {
      const next = source[++at];
      if (next === "\n") continue;
      const meant = next === undefined ? undefined : escapes.get(next);
      if (meant === undefined) return undefined;
      value += meant;
      kept = value.length;
    } else if (letter === '"') {
      quoted = !quoted;
      kept = value.length;
    } else if (!quoted && (letter === "#" || letter === ";")) {
      while (at + 1 < source.length && source[at + 1] !== "\n") at++;
    } else if (!quoted && /[ \t]/.test(letter)) {
      if (value !== "") value += letter;
    } else {
      value += letter;
      kept = value.length;
    }
  }
  return undefined;
}
