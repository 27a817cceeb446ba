/** From the first character to the one after the last. */
export type Range = readonly [start: number, end: number];

/** Forms of this length and more are also found when line breaks were put into them, as base64 tools and mail do. */
const wrapped = 8;
/** Columns of the narrowest lines that a form is broken into. */
const narrowest = 32;

/** Where any of the forms stand, in order; those that overlap or touch are one. */
export function findForms(text: string, forms: readonly string[], known: readonly Range[] = []): readonly Range[] {
  const found: Range[] = [...known];
  for (const form of forms) for (const range of occurrences(text, form)) found.push(range);
  if (text.includes("\n")) for (const range of findWrapped(text, forms)) found.push(range);
  return found.length === 0 ? found : merge(found);
}

/**
 * How many characters at the end of a text that was cut there may be the beginning of one of the forms, with line breaks put into it or not.
 * `least`: fewer characters of a form than that say nothing.
 */
export function beginningAtEnd(text: string, forms: readonly string[], least: number): number {
  return Math.max(0, ...forms.map((form) => beginningOf(form, text.slice(-longestSpan(form)), least)));
}

function beginningOf(form: string, end: string, least: number): number {
  return Math.max(beginningAsItIs(form, end, least), beginningBroken(form, end, least));
}

/** A form may itself begin with a line break. */
function beginningAsItIs(form: string, end: string, least: number): number {
  const last = end.at(-1);
  for (let length = Math.min(form.length, end.length); length >= least; length -= 1)
    if (form[length - 1] === last && end.endsWith(form.slice(0, length))) return length;
  return 0;
}

function beginningBroken(form: string, end: string, least: number): number {
  const bare = withoutBreaks(form);
  // The cut may have fallen into a line break.
  const whole = end.replace(/\r$/, "");
  const flat = withoutBreaks(whole);
  const last = flat.at(-1);
  for (let length = Math.min(bare.length, flat.length); length >= least; length -= 1) {
    if (bare[length - 1] === last && flat.endsWith(bare.slice(0, length)))
      return end.length - placesOf(whole, flat.length)[flat.length - length]!;
  }
  return 0;
}

/** Characters that the form takes up at most. */
function longestSpan(form: string): number {
  return form.length < wrapped ? form.length : form.length + 2 * breaksIn(form);
}

function breaksIn(form: string): number {
  return Math.ceil(form.length / narrowest) + 1;
}

/** Every place, also where two overlap. */
function* occurrences(text: string, form: string): Generator<Range> {
  for (let at = text.indexOf(form); at >= 0; at = text.indexOf(form, at + 1)) yield [at, at + form.length];
}

function findWrapped(text: string, forms: readonly string[]): Range[] {
  const long = forms.filter((form) => form.length >= wrapped);
  if (long.length === 0) return [];
  const flat = withoutBreaks(text);
  let places: Uint32Array | undefined;
  return long.flatMap((form) => {
    const bare = withoutBreaks(form);
    if (bare.length < wrapped) return [];
    const found: Range[] = [];
    for (const [start, end] of occurrences(flat, bare)) {
      places ??= placesOf(text, flat.length);
      const range = [places[start]!, places[end - 1]! + 1] as const;
      if (range[1] - range[0] <= longestSpan(form)) found.push(range);
    }
    return found;
  });
}

function withoutBreaks(text: string): string {
  return text.replace(/\r?\n/g, "");
}

/** Where each character that is no line break stands. */
function placesOf(text: string, count: number): Uint32Array {
  const places = new Uint32Array(count);
  let next = 0;
  let at = 0;
  for (const line of text.split(/(\r?\n)/)) {
    const isBreak = line === "\n" || line === "\r\n";
    for (let offset = 0; !isBreak && offset < line.length; offset += 1) places[next++] = at + offset;
    at += line.length;
  }
  return places;
}

function merge(ranges: Range[]): Range[] {
  const merged: [number, number][] = [];
  for (const [start, end] of ranges.sort((a, b) => a[0] - b[0])) {
    const last = merged.at(-1);
    if (last && start <= last[1]) last[1] = Math.max(last[1], end);
    else merged.push([start, end]);
  }
  return merged;
}
