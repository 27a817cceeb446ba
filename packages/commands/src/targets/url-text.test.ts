import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { judgeRedirect, judgeUrl } from "./url-text.ts";

const open = { deny: [] };

describe("URLs that are permitted", () => {
  test.each([
    ["a path, a query and a fragment", "https://example.com/a?b=c#d", { host: "example.com", port: 443 }],
    ["a trailing dot", "https://example.com./", { host: "example.com", port: 443 }],
    ["upper case", "HTTP://EXAMPLE.com/", { host: "example.com", port: 80 }],
    ["an IDN", "https://b\u00fccher.example/", { host: "xn--bcher-kva.example", port: 443 }],
    ["an IPv6 literal", "https://[2606:4700:4700::1111]/", { host: "2606:4700:4700::1111", port: 443 }],
    ["https on port 80", "https://example.com:80/", { host: "example.com", port: 80 }],
    ["an at sign in the path", "https://example.com/@user", { host: "example.com", port: 443 }],
    ["percent signs in the path", "https://example.com/a%20b", { host: "example.com", port: 443 }],
  ])("%s", (_name, text, expected) => {
    expect(judgeUrl(text, open)).toMatchObject({ ok: true, ...expected });
  });
});

describe("URLs that are refused by their text", () => {
  test.each([
    ["a newline", "http://exa\nmple.com/", /control/],
    ["a blank at the end", "http://example.com/ ", /blanks/],
    ["a no-break space", "http://example.com/\u00a0", /blanks/],
    ["a bidirectional mark", "http://example.com/\u202e", /invisible/],
    ["a zero-width space", "http://exam\u200bple.com/", /invisible/],
    ["a lone surrogate", "http://example.com/\ud800", /invisible/],
    ["a backslash", "http://example.com\\@127.0.0.1/", /backslash/],
    ["a user name", "http://user@example.com/", /user name/],
    ["an empty user name", "http://@example.com/", /user name/],
    ["one slash", "http:/example.com/", /no host/],
    ["no slashes", "http:example.com", /no host/],
    ["three slashes", "http:///example.com/", /no host/],
    ["no scheme", "example.com", /no scheme/],
    ["a scheme-relative URL", "//example.com/", /no scheme/],
    ["another scheme", "file:///etc/passwd", /not http or https/],
    ["a percent-encoded host", "http://ex%61mple.com/", /percent-encoded/],
    ["an address that overflows", "http://4294967297/", /well-formed/],
    ["five numbers", "http://1.2.3.4.5/", /well-formed/],
    ["only dots", "http://../", /well-formed/],
    ["an empty label", "http://a..b/", /well-formed/],
    ["a label of 64 characters", `http://${"a".repeat(64)}.example/`, /well-formed/],
    ["a port beyond 65535", "http://example.com:65536/", /well-formed/],
    ["port 0", "http://example.com:0/", /port 0/],
    ["a port that no rule names", "https://example.com:8443/", /port 8443/],
    ["more than 8192 characters", `https://example.com/${"a".repeat(8_192)}`, /longer/],
    ["an empty text", "", /no scheme/],
  ])("%s", (_name, text, reason) => {
    expect(judgeUrl(text, open)).toEqual({ ok: false, reason: expect.stringMatching(reason) });
  });
});

describe("host rules", () => {
  test.each([
    ["a name", "https://docs.python.org/", ["docs.python.org"], true],
    ["a name in other case, with a dot", "https://DOCS.python.org./", ["docs.Python.org."], true],
    ["a name that only begins like it", "https://docs.python.org.evil.example/", ["docs.python.org"], false],
    ["a wildcard covers deeper names", "https://a.b.example.org/", ["*.example.org"], true],
    ["a wildcard leaves out the apex", "https://example.org/", ["*.example.org"], false],
    ["a wildcard needs the dot", "https://evilexample.org/", ["*.example.org"], false],
    ["a rule with a port opens that port", "https://example.org:8443/", ["example.org:8443"], true],
    ["and no other", "https://example.org/", ["example.org:8443"], false],
    ["a rule without a port opens no other than 80 and 443", "https://example.org:8443/", ["example.org"], false],
    ["an IDN rule covers the punycode form", "https://xn--bcher-kva.example/", ["b\u00fccher.example"], true],
    ["an IPv6 rule", "http://[::1]:8080/", ["[0:0::1]:8080"], true],
    ["the star", "https://anything.example/", ["*"], true],
    ["the star with a port", "https://anything.example:8443/", ["*:8443"], true],
    ["a text that is no rule opens nothing", "https://example.org/", ["example.org/path"], false],
    ["a wildcard in the middle is no rule", "https://a.example.org/", ["a.*.org"], false],
    ["an empty list opens nothing", "https://example.org/", [], false],
  ])("%s", (_name, text, allow, expected) => {
    expect(judgeUrl(text, { allow, deny: [] }).ok).toBe(expected);
  });

  test.each([
    ["deny wins over allow", "https://example.org/", "example.org", false],
    ["a denying rule without a port closes every port", "https://example.org:8443/", "example.org", false],
    ["a denying rule with a port leaves the others", "https://example.org:8443/", "example.org:443", true],
    ["a denying wildcard leaves the apex", "https://example.org/", "*.example.org", true],
    ["a denying text that is no rule closes everything", "https://example.org/", "http://x/", false],
  ])("%s", (_name, text, deny, expected) => {
    expect(judgeUrl(text, { allow: ["example.org", "example.org:8443"], deny: [deny] }).ok).toBe(expected);
  });

  test("a name below a wildcard is always covered, and a name that only ends alike never is", () => {
    const label = fc
      .stringMatching(/^[a-z]([a-z0-9-]{0,20}[a-z0-9])?$/)
      .filter((text) => !text.startsWith("xn--") && text.slice(2, 4) !== "--");
    fc.assert(
      fc.property(label, (part) => {
        const rules = { allow: ["*.example.org"], deny: [] };
        expect(judgeUrl(`https://${part}.example.org/`, rules).ok).toBe(true);
        expect(judgeUrl(`https://${part}example.org/`, rules).ok).toBe(false);
      }),
    );
  });
});

test("whatever the text, judging does not throw, and what is permitted is a plain http URL", () => {
  const hostile = fc.array(
    fc.constantFrom("http", "s", ":", "/", "//", "@", "\\", "%00", "[::1]", "127.1", "\t", "#", "?", ".", "\u3002", "example.com", ":80"),
    {
      maxLength: 12,
    },
  );
  fc.assert(
    fc.property(hostile, (parts) => {
      const judged = judgeUrl(parts.join(""), open);
      if (!judged.ok) return;
      expect(judged.url.protocol).toMatch(/^https?:$/);
      expect(judged.url.username + judged.url.password).toBe("");
      expect([80, 443]).toContain(judged.port);
    }),
  );
});

describe("redirects", () => {
  const from = new URL("https://example.com/a/b");
  test.each([
    ["a relative path", "../c", "https://example.com/c"],
    ["a scheme-relative URL", "//www.example.com/", "https://www.example.com/"],
    ["a query", "?x=1", "https://example.com/a/b?x=1"],
    ["a scheme in capitals", "HTTPS://WWW.Example.COM/x", "https://www.example.com/x"],
    ["a path with an at sign", "/@name", "https://example.com/@name"],
  ])("%s is resolved", (_name, location, expected) => {
    const judged = judgeRedirect(location, from, open);
    expect(judged.ok && judged.url.href).toBe(expected);
  });

  test.each([
    ["https to http", "http://example.com/", /https to http/],
    ["credentials", "https://user:pass@www.example.com/", /user name/],
    ["an empty user name", "https://@www.example.com/", /user name/],
    ["an empty user name without a scheme", "//@www.example.com/", /user name/],
    ["an escaped host", "//%77ww.example.com/", /percent-encoded/],
    ["more than two slashes", "https:////www.example.com/", /no host/],
    ["more than two slashes without a scheme", "////www.example.com/", /no host/],
    ["a scheme without slashes", "https:www.example.com", /no host/],
    ["a backslash", "/\\evil.example/", /backslash/],
    ["a line break", "/a\r\nb", /control/],
    ["another scheme", "gopher://example.com/", /not http or https/],
    ["another port", "https://example.com:6379/", /port 6379/],
  ])("%s is refused", (_name, location, reason) => {
    expect(judgeRedirect(location, from, open)).toEqual({ ok: false, reason: expect.stringMatching(reason) });
  });
});
