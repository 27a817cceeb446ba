/** The inside of a control string (OSC, DCS, ...): it ends with any control, so at the latest with its line. */
const payload = String.raw`[^\x00-\x08\x0a-\x1f\x7f-\x9f]*`;
const controlString = String.raw`(?:\x1b[\]PX^_]|[\x90\x98\x9d-\x9f])${payload}`;
const controlSequence = String.raw`(?:\x1b\[|\x9b)[0-?]{0,64}[ -/]{0,8}`;
const shortEscape = String.raw`\x1b[ -/]{0,8}`;
const anyControl = String.raw`[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]`;

/** ECMA-48 sequences in their 7-bit and 8-bit forms. What ends a control string (BEL, ST) is itself a control or a short escape. */
const escapes = new RegExp(`${controlString}|${controlSequence}[@-~]?|${shortEscape}[0-~]?|${anyControl}|\\r(?!\\n)`, "g");
const openString = new RegExp(`(?:${controlString})$`);
const openSequence = new RegExp(`(?:${controlSequence}|${shortEscape}|\\r)$`);
const leadingPayload = new RegExp(`^${payload}`);
const suspect = new RegExp(`${anyControl}|\\r`);

/**
 * Turns the bytes of a terminal stream into text without terminal escapes or controls (R-EX-11). Tabs and line ends stay; a lone
 * carriage return becomes a line end, so that no text overwrites another. The result does not depend on how the stream is chunked.
 */
export class CleanText {
  readonly #decoder = new TextDecoder("utf-8", { ignoreBOM: true });
  #insideString = false;
  #carry = "";

  push(chunk: Uint8Array): string {
    return this.#clean(this.#decoder.decode(chunk, { stream: true }));
  }

  end(): string {
    return this.#clean(this.#decoder.decode()) + strip(this.#carry);
  }

  #clean(decoded: string): string {
    let text = this.#carry + decoded;
    this.#carry = "";
    if (this.#insideString) {
      text = text.slice(leadingPayload.exec(text)![0].length);
      this.#insideString = text === "";
    }
    if (!suspect.test(text)) return text;
    this.#insideString = openString.test(text);
    const open = this.#insideString ? null : openSequence.exec(text);
    if (!open) return strip(text);
    this.#carry = text.slice(open.index);
    return strip(text.slice(0, open.index));
  }
}

function strip(text: string): string {
  return text.replace(escapes, (found) => (found === "\r" ? "\n" : ""));
}
