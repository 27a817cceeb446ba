import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Redactor } from "./redact.ts";

const secret = 's3cr3t+/value=%42"q';

function redactorOf(...values: string[]): Redactor {
  const redactor = new Redactor();
  for (const value of values) redactor.add(value);
  return redactor;
}

const utf8 = (text: string) => Buffer.from(text.toWellFormed());
const ascii = (text: string) => text.replace(/[^\x20-\x7e]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`);
const lower = (text: string) => text.replace(/%[0-9A-F]{2}/g, (sign) => sign.toLowerCase());
const json = (text: string) => JSON.stringify(text).slice(1, -1);
const escaped = (text: string, units: RegExp) => text.replace(units, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`);
const upper = (text: string) => text.replace(/\\u[0-9a-f]{4}/g, (sign) => `\\u${sign.slice(2).toUpperCase()}`);
const php = (text: string) => ascii(json(text)).replaceAll("/", "\\/");
/** Base64 of the secret within a longer text, without the signs at either end that hold bits of what stands beside it. */
const within = (before: string, text: string, encoding: "base64" | "base64url") => {
  const head = utf8(before).length;
  const bits = (head + utf8(text).length) * 8;
  return Buffer.concat([utf8(before), utf8(text)])
    .toString(encoding)
    .slice(Math.ceil((head * 8) / 6), Math.floor(bits / 6));
};

/** What tools, libraries and shells do to a value on its way out. */
const forms: readonly [string, (value: string) => string][] = [
  ["as it is", (value) => value],
  ["in JSON", (value) => JSON.stringify(value).slice(1, -1)],
  ["in JSON within JSON", (value) => JSON.stringify(JSON.stringify(value)).slice(3, -3)],
  ["in JSON in ASCII", (value) => ascii(JSON.stringify(value).slice(1, -1))],
  ["in JSON with escaped slashes", (value) => JSON.stringify(value).slice(1, -1).replaceAll("/", "\\/")],
  ["in JSON of Go", (value) => escaped(json(value), /[&<>\u2028\u2029]/g)],
  ["in JSON of .NET", (value) => upper(escaped(json(value).replaceAll('\\"', '"'), /[^\x20-\x7e]|["&'+<>`]/g))],
  ["in JSON of PHP", php],
  ["in JSON of Python within JSON", (value) => json(ascii(json(value)))],
  ["in JSON of PHP within JSON", (value) => json(php(value))],
  ["in a URL of Python, with slashes", (value) => encodeURIComponent(value.toWellFormed()).replaceAll("%2F", "/")],
  ["in a path of Go", (value) => encodeURIComponent(value.toWellFormed()).replace(/%(?:24|26|2B|3A|3D|40)/g, decodeURIComponent)],
  ["in base64 of JSON", (value) => within("ab", json(value), "base64")],
  ["in base64 of JSON of PHP", (value) => within("a", php(value), "base64")],
  ["in a URL", (value) => encodeURIComponent(value.toWellFormed())],
  ["in a URL, with small letters", (value) => lower(encodeURIComponent(value.toWellFormed()))],
  ["in JSON in a URL", (value) => encodeURIComponent(JSON.stringify(value.toWellFormed()).slice(1, -1))],
  ["in a URL in a URL", (value) => encodeURIComponent(encodeURIComponent(value.toWellFormed()))],
  ["in a form", (value) => new URLSearchParams({ v: value }).toString().slice(2)],
  ["in hex", (value) => utf8(value).toString("hex")],
  ["in hex, with capitals", (value) => utf8(value).toString("hex").toUpperCase()],
  ["in base64", (value) => within("", value, "base64")],
  ["in base64 after one byte", (value) => within("a", value, "base64")],
  ["in base64 after two bytes", (value) => within("ab", value, "base64")],
  ["in base64url", (value) => within("", value, "base64url")],
  ["in base64url after one byte", (value) => within("a", value, "base64url")],
  ["in base64url after two bytes", (value) => within("ab", value, "base64url")],
  ["in base64 in a URL", (value) => encodeURIComponent(within("ab", value, "base64"))],
  ["in the bytes of a file", (value) => utf8(value).toString("latin1")],
];

const anySecret = fc.oneof(fc.string({ minLength: 6, maxLength: 60, unit: "binary" }), fc.string({ minLength: 6, maxLength: 200 }));
const anyText = fc.oneof(fc.string({ maxLength: 60, unit: "binary" }), fc.string({ maxLength: 60 }));

/** Cuts of these lengths, and the rest. */
function cut(text: string, lengths: readonly number[]): string[] {
  const chunks: string[] = [];
  let at = 0;
  for (const length of [...lengths, text.length]) {
    chunks.push(text.slice(at, at + length));
    at += length;
  }
  return chunks;
}

function stream(redactor: Redactor, chunks: readonly string[]): string {
  const redacting = redactor.stream();
  return chunks.map((chunk) => redacting.push(chunk)).join("") + redacting.flush();
}

describe("redaction (R-TN-4)", () => {
  it.each(forms)("removes a secret %s, and nothing beside it", (_, encode) => {
    expect(redactorOf(secret).redact(`before ${encode(secret)} after`)).toBe("before [redacted] after");
  });

  it.each(forms)("lets no secret through %s, whatever it is, whatever stands beside it, however it is cut", (_, encode) => {
    fc.assert(
      fc.property(anySecret, anyText, anyText, fc.array(fc.nat({ max: 30 }), { maxLength: 12 }), (value, before, after, cuts) => {
        const redactor = redactorOf(value);
        const text = before + encode(value) + after;
        const whole = redactor.redact(text);
        expect(whole).toContain("[redacted]");
        expect(redactor.find(whole.replaceAll("[redacted]", "\u0007\u0007"))).toEqual([]);
        expect(stream(redactor, cut(text, cuts))).toBe(whole);
      }),
      { numRuns: 60 },
    );
  });

  it("lets none of several secrets through that overlap, touch or hold each other", () => {
    const overlapping = fc.array(fc.string({ unit: fc.constantFrom("a", "b", "\n", "\r"), minLength: 4, maxLength: 9 }), {
      minLength: 1,
      maxLength: 4,
    });
    const text = fc.string({ unit: fc.constantFrom("a", "b", "c", "\n", "\r"), maxLength: 60 });
    fc.assert(
      fc.property(overlapping, text, fc.array(fc.nat({ max: 9 }), { maxLength: 12 }), (values, given, cuts) => {
        const redactor = redactorOf(...values);
        const whole = redactor.redact(given);
        for (const value of values) expect(whole.replaceAll("[redacted]", " ")).not.toContain(value);
        expect(stream(redactor, cut(given, cuts))).toBe(whole);
      }),
    );
    expect(redactorOf("xxxabc", "abcdefghij").redact("<xxxabcdefghij>")).toBe("<[redacted]>");
    expect(stream(redactorOf("\nabc"), ["\n", "abc"])).toBe("[redacted]");
  });

  it("finds a long secret that base64 or mail broken into lines", () => {
    const key = `-----BEGIN KEY-----\n${"Zm9vYmFyYmF6".repeat(12)}\n-----END KEY-----`;
    const lines = (text: string, end: string) => text.replace(/.{76}/g, `$&${end}`);
    for (const end of ["\n", "\r\n"]) {
      const text = `begin ${lines(Buffer.from(key).toString("base64"), end)} end`;
      expect(redactorOf(key).redact(text)).toMatch(/^begin \[redacted\].{0,4} end$/);
      expect(stream(redactorOf(key), text.split(""))).toBe(redactorOf(key).redact(text));
    }
    expect(redactorOf(key).redact(`begin ${key.replaceAll("\n", "\r\n")} end`)).toBe("begin [redacted] end");
  });

  it.each([
    ["base64", 76, "\n", 6],
    ["base64", 64, "\r\n", 6],
    ["hex", 60, "\n", 4],
  ] as const)("finds a short secret too that stands anywhere in a file in %s in lines of %i", (encoding, columns, lineBreak, bits) => {
    const ownUnit = fc.constantFrom(...'abcdefghijkmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789+/=%&"');
    fc.assert(
      fc.property(fc.string({ unit: ownUnit, minLength: 9, maxLength: 40 }), fc.nat({ max: 230 }), (value, head) => {
        const whole = Buffer.from(`${" ".repeat(head)}${value}${" ".repeat(20)}`).toString(encoding);
        const inLines = whole.replace(new RegExp(`.{${columns}}(?=.)`, "g"), `$&${lineBreak}`);
        const own = whole.slice(Math.ceil((head * 8) / bits), Math.floor(((head + value.length) * 8) / bits));
        const left = redactorOf(value).redact(inLines).replaceAll(lineBreak, "");
        expect(left).toContain("[redacted]");
        expect(runsOf(own).filter((run) => left.includes(run))).toEqual([]);
        expect(stream(redactorOf(value), cut(inLines, [50, 1, 30]))).toBe(redactorOf(value).redact(inLines));
      }),
    );
  });

  it("removes a secret from keys, strings and numbers of JSON, at any depth", () => {
    expect(redactorOf(secret, "4711471").redactJson({ [secret]: [{ deep: `x${secret}`, pin: 4711471, count: 3 }] })).toEqual({
      "[redacted]": [{ deep: "x[redacted]", pin: "[redacted]", count: 3 }],
    });
  });

  it("removes a secret from each part of an error", () => {
    const error = { code: "tool_failed" as const, toolCode: secret, message: secret, details: { at: secret } };
    expect(JSON.stringify(redactorOf(secret).redactError(error))).not.toContain("s3cr3t");
  });

  it("leaves values shorter than four characters alone, since they are ordinary words", () => {
    expect(redactorOf("the").redact("the end")).toBe("the end");
    expect(redactorOf("1234").redact("pin 1234")).toBe("pin [redacted]");
  });

  it("takes up a secret that is handed out while the text comes", () => {
    const redactor = redactorOf();
    const redacting = redactor.stream();
    const first = redacting.push("no secret yet; ");
    redactor.add(secret);
    expect(first + redacting.push(secret.slice(0, 5)) + redacting.push(`${secret.slice(5)}.`) + redacting.flush()).toBe(
      "no secret yet; [redacted].",
    );
  });

  const lines = (width: number, lineBreak: string) => (value: string) =>
    (
      utf8(value)
        .toString("base64")
        .match(new RegExp(`.{1,${width}}`, "g")) ?? []
    ).join(lineBreak);
  const cutForms: typeof forms = [
    ...forms.filter(([name]) => name !== "in the bytes of a file"),
    ["in base64 in lines", lines(64, "\n")],
    ["in base64 in lines of mail", lines(76, "\r\n")],
  ];
  it.each(cutForms)("leaves no run of eight characters of a secret %s where bytes were cut", (_, encode) => {
    const ownUnit = fc.constantFrom(...'abcdefghijkmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789+/=%&é"');
    const aside = fc.string({ unit: fc.constantFrom(" ", ".", "|"), maxLength: 40 });
    fc.assert(
      fc.property(
        fc.record({ value: fc.string({ unit: ownUnit, minLength: 12, maxLength: 120 }), before: aside, after: aside, at: fc.nat() }),
        (given) => {
          const { value, before, after, at } = given;
          const written = encode(value);
          const bytes = Buffer.from(before + written + after);
          const end = at % (bytes.length + 1);
          const kept = Buffer.from(redactorOf(value).redactBytes(bytes.subarray(0, end), { isCut: true }));
          for (const text of [kept.toString("utf8"), kept.toString("latin1")])
            expect(runsOf(written).filter((run) => text.includes(run))).toEqual([]);
        },
      ),
    );
  });

  it("leaves bytes as they are that hold no beginning of a secret", () => {
    const bytes = Buffer.from("s3c at the end s3c");
    expect(redactorOf(secret).redactBytes(bytes, { isCut: true })).toEqual(bytes);
    expect(new Redactor().redactBytes(bytes, { isCut: true })).toBe(bytes);
  });
});

function runsOf(text: string): string[] {
  return Array.from({ length: Math.max(0, text.length - 7) }, (_, at) => text.slice(at, at + 8)).filter((run) => !/[\r\n]/.test(run));
}
