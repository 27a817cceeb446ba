import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Redactor } from "./redact.ts";

const secret = 's3cr3t+/value=%42"q';

function withSecret(): Redactor {
  const redactor = new Redactor();
  redactor.add(secret);
  return redactor;
}

describe("redaction (R-TN-4)", () => {
  const forms: [string, string][] = [
    ["as it is", secret],
    ["JSON encoded", JSON.stringify({ a: secret })],
    ["URL encoded", encodeURIComponent(secret)],
    ["hex", Buffer.from(secret).toString("hex")],
    ["base64", Buffer.from(secret).toString("base64")],
    ["base64 after one byte", Buffer.from(`a${secret}`).toString("base64")],
    ["base64 after two bytes", Buffer.from(`ab${secret}cd`).toString("base64")],
    ["base64url", Buffer.from(`user:${secret}`).toString("base64url")],
  ];
  it.each(forms)("removes a secret %s", (_, text) => {
    const redacted = withSecret().redact(`before ${text} after`);
    expect(redacted).toContain("[redacted]");
    expect(redacted).toContain("before ");
    expect(redacted).not.toContain(text);
  });

  it("removes a secret from keys and values of JSON, at any depth", () => {
    expect(withSecret().redactJson({ [secret]: [{ deep: `x${secret}` }] })).toEqual({ "[redacted]": [{ deep: "x[redacted]" }] });
  });

  it("leaves values shorter than four characters alone, since they are ordinary words", () => {
    const redactor = new Redactor();
    redactor.add("the");
    expect(redactor.redact("the end")).toBe("the end");
  });

  it("never lets a secret through, however the text is cut into chunks", () => {
    fc.assert(
      fc.property(
        fc.string({ maxLength: 40 }),
        fc.string({ maxLength: 40 }),
        fc.array(fc.nat({ max: 20 }), { maxLength: 12 }),
        (before, after, cuts) => {
          const text = `${before}${secret}${after}`;
          const stream = withSecret().stream();
          let out = "";
          let at = 0;
          for (const cut of cuts) {
            out += stream.push(text.slice(at, at + cut));
            at += cut;
          }
          out += stream.push(text.slice(at)) + stream.flush();
          expect(out).not.toContain(secret);
          expect(out).toBe(withSecret().redact(text));
        },
      ),
    );
  });
});
