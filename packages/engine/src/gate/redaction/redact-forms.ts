/** Shorter encodings would match ordinary text. */
const shortestEncoded = 6;

/**
 * The texts by which a secret shows itself: as it is, as JSON of JavaScript, Python, PHP, Go and .NET writes it (once and twice), as URLs and
 * forms write it and its JSON and a URL that holds it, as hex, and as base64 and base64url of it and of its JSON, also within a longer text and
 * with its signs percent-encoded.
 */
export function formsOf(value: string): ReadonlySet<string> {
  const wellFormed = value.toWellFormed();
  const bytes = Buffer.from(wellFormed, "utf8");
  const inUrls = [wellFormed, inJson(wellFormed), encodeURIComponent(wellFormed)].flatMap(urlForms);
  const json = jsonForms(value);
  const inBase64 = [wellFormed, ...json].flatMap((text) => base64Forms(Buffer.from(text.toWellFormed(), "utf8")));
  const encoded = [...json, ...json.map(inJson), ...inUrls, ...hexForms(bytes), ...inBase64];
  const forms = [value, ...encoded.filter((form) => form.length >= shortestEncoded)];
  return new Set(forms.flatMap((form) => [form, asBytes(form)]));
}

/** UTF-8 read one byte a character, as bytes of files are searched. */
function asBytes(text: string): string {
  return Buffer.from(text, "utf8").toString("latin1");
}

function jsonForms(value: string): string[] {
  const once = inJson(value);
  const ascii = escapeUnits(once, /[^\x20-\x7e]/g);
  const go = escapeUnits(once, /[&<>\u2028\u2029]/g);
  const dotnet = upperDigits(escapeUnits(once.replaceAll('\\"', '"'), /[^\x20-\x7e]|["&'+<>`]/g));
  const forms = [once, ascii, upperDigits(ascii), go, dotnet, ...[once, ascii].map((form) => form.replaceAll("/", "\\/"))];
  return [...new Set(forms)];
}

function escapeUnits(text: string, units: RegExp): string {
  return text.replace(units, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`);
}

function upperDigits(text: string): string {
  return text.replace(/\\u[0-9a-f]{4}/g, (sign) => `\\u${sign.slice(2).toUpperCase()}`);
}

function inJson(text: string): string {
  return JSON.stringify(text).slice(1, -1);
}

/** RFC 3986 leaves it to the writer which of the signs are encoded, and the case of the digits. */
function urlForms(value: string): string[] {
  const component = encodeURIComponent(value);
  const strict = component.replace(/[!'()*]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`);
  const form = new URLSearchParams([["", value]]).toString().slice(1);
  const withSlashes = [component, strict].map((text) => text.replaceAll("%2F", "/"));
  const inPath = component.replace(/%(?:24|26|2B|3A|3D|40)/g, decodeURIComponent);
  const forms = [component, strict, form, encodeURI(value), ...withSlashes, inPath];
  return [...forms, ...forms.map(lowerPercents)];
}

function lowerPercents(text: string): string {
  return text.replace(/%[0-9A-F]{2}/g, (sign) => sign.toLowerCase());
}

function hexForms(bytes: Buffer): string[] {
  const hex = bytes.toString("hex");
  return [hex, hex.toUpperCase()];
}

/** Base64 of a secret inside a longer text depends on its offset modulo three: the part that does not is what is searched. */
function base64Forms(bytes: Buffer): string[] {
  return [0, 1, 2].flatMap((offset) => {
    const encoded = Buffer.concat([Buffer.alloc(offset), bytes]).toString("base64");
    const start = offset === 0 ? 0 : offset + 1;
    const core = encoded.slice(start, Math.floor(((offset + bytes.length) * 8) / 6));
    const inUrl = encodeURIComponent(core);
    return [core, core.replaceAll("+", "-").replaceAll("/", "_"), inUrl, lowerPercents(inUrl)];
  });
}
