import { afterEach, describe, expect, test, vi } from "vitest";
import { judgePathCase, type PathCase } from "./path-corpus.ts";
import { judgeUrlCase, type UrlCase } from "./ssrf-corpus.ts";

afterEach(() => {
  vi.unstubAllEnvs();
});

const path = (changes: object) =>
  judgePathCase({
    ...{ id: "p", cat: "test", setup: [{ file: ["$W/a", "text"] }], op: "read", path: "a", expect: "allow", why: "", tags: [] },
    ...changes,
  } as PathCase);
const url = (changes: object) =>
  judgeUrlCase({
    ...{ id: "u", cat: "test", url: "https://example.com/", expect: "allow", why: "", dns: { "example.com": ["93.184.216.34"] } },
    ...changes,
  } as UrlCase);

describe("a path case says more than it may be silent about", () => {
  test.each<[string, object, RegExp]>([
    ["a step", { setup: [{ magic: "$W/a" }] }, /step that is not known/],
    ["a step with two names", { setup: [{ rm: "$W/a", dir: "$W/b" }] }, /step that is not known/],
    ["a step without its operand", { setup: [{ symlink: ["$W/a"] }] }, /must have 2 operand/],
    ["an operation", { op: "teleport" }, /operation that is not known/],
    ["a rule about the disk", { after: { glows: "$W/a" } }, /after-rule that is not known/],
    ["a field", { mood: "hopeful" }, /field that is not known here: mood/],
    ["a text that must not be there but is empty", { after: { no_output: "" } }, /at least one character/],
    ["bytes that are not hexadecimal", { setup: [{ bytes: ["$W/a", "0g"] }] }, /hexadecimal/],
    ["half a byte", { setup: [{ bytes: ["$W/a", "abc"] }] }, /hexadecimal/],
    ["bytes without content", { setup: [{ bytes: "$W/a" }] }, /must have 2 operand/],
    ["a race that fails at its first moment", { race: [{ rmdir: "$W/nothing" }] }, /ENOENT/],
  ])("%s that is not known is an error", async (_name, changes, message) => {
    await expect(path(changes)).rejects.toThrow(message);
  });

  test.each<[string, object, RegExp]>([
    ["a file that should be gone", { after: { absent: "$W/a" } }, /\$W\/a is there/],
    ["one of several paths", { op: "write", after: { unchanged: ["$W", "$W/a"] } }, /\$W was changed/],
    ["other content", { op: "write", after: { content: ["$W/a", "text"] } }, /other content/],
    ["a path that is not there", { after: { present: "$W/b" } }, /not there/],
    ["a link that became a file", { setup: [{ file: ["$W/b", "x"] }], path: "b", after: { link: "$W/b" } }, /no link any more/],
    ["content from outside in a copy", { setup: [{ file: ["$W/a", "outside"] }], op: "copy", arg: "b" }, /content from outside/],
    ["a text in the result that must not be there", { after: { no_output: "tex" } }, /result holds "tex"/],
    ["a text in quotes of the result", { setup: [{ file: ["$W/a", 'a "b"'] }], after: { no_output: ["x", 'a "b"'] } }, /result holds/],
    ["a text in a listing", { op: "list", path: ".", after: { no_output: '"a"' } }, /result holds/],
    [
      "a folder of the host in the result",
      { setup: [{ file: ["$W/a", "x"] }, { symlink: ["$W/b", "$O/x"] }], op: "list", path: ".", after: { no_output: ["$O", "b"] } },
      /result holds/,
    ],
    ["a text in the error", { path: "nowhere", expect: "error", after: { no_output: "nowhere" } }, /result holds "nowhere"/],
    ["a success where a refusal is expected", { expect: "deny" }, /It succeeded/],
  ])("%s fails the case", async (_name, changes, detail) => {
    expect(await path(changes)).toMatchObject({ pass: false, detail: expect.stringMatching(detail) });
  });

  test.each<[string, object]>([
    [
      "exchange",
      { setup: [{ file: ["$W/a", "a"] }, { file: ["$W/b", "b"] }, { swap: ["$W/a", "$W/b"] }], after: { content: ["$W/a", "b"] } },
    ],
    ["copy", { setup: [{ file: ["$W/b", "b"] }, { cp: ["$W/b", "$W/a"] }], after: { content: ["$W/a", "b"] } }],
    ["append", { setup: [{ touch: "$W/a" }, { append: ["$W/a", "b"] }], after: { content: ["$W/a", "b"] } }],
    ["a sibling by its beginning", { setup: [{ file: ["$W-old/a", "x"] }], path: "$W-old/a", expect: "deny" }],
    ["a root that holds a file", { op: "root", arg: "$W/" }],
    ["a result without the text", { after: { no_output: ["outside", "b"] } }],
    ["bytes", { setup: [{ bytes: ["$W/a", "68692e"] }], after: { content: ["$W/a", "hi."] } }],
    ["bytes that are no text", { setup: [{ bytes: ["$W/a", "FFfe00"] }], expect: "error" }],
    ["given content", { op: "write", content: "new", after: { content: ["$W/a", "new"] } }],
  ])("the form is understood: %s", async (_name, changes) => {
    expect(await path(changes)).toMatchObject({ pass: true });
  });
});

describe("a URL case says more than it may be silent about", () => {
  test.each<[string, object, RegExp]>([
    ["an answer", { dns: { "example.com": [7] } }, /answer for example\.com that is not known/],
    ["a record", { dns: { "example.com": { MX: "mail" } } }, /answer for example\.com that is not known/],
    ["an assertion", { assert: "looks fine" }, /assertion that is not known/],
    ["a subject of an assertion", { assert: "no harm done on hop 1" }, /no header or body/],
    ["a field", { mood: "hopeful" }, /field that is not known here: mood/],
    ["names of the engine that are no list of names", { self_hosts: [7] }, /self_hosts must be a list/],
    ["a member of config", { config: { allow_moods: [] } }, /config has a field that is not known/],
  ])("%s that is not known is an error", async (_name, changes, message) => {
    await expect(url(changes)).rejects.toThrow(message);
  });

  test.each<[string, object]>([
    ["a header that is there", { headers: { "X-A": "1" }, assert: "no X-A on hop 1" }],
    ["a body that is there", { method: "POST", assert: "no body on hop 1" }],
    ["a header that is not there", { assert: "cookie on hop 1" }],
    ["another name for TLS", { assert: "sni=other.example" }],
    ["another address", { connect: "1.1.1.1" }],
    ["another method", { assert: "method=POST on hop 1" }],
    ["another number of hops", { assert: "hops=2" }],
    ["another Host header", { assert: "host=other.example" }],
    ["one of two assertions", { assert: "sni=example.com; hops=2" }],
  ])("%s than asserted fails the case", async (_name, changes) => {
    expect(await url(changes)).toMatchObject({ verdict: "error" });
  });

  const name = "example.com";
  test.each<[string, object, string]>([
    ["an alias", { dns: { [name]: { CNAME: "b.example" }, "b.example": { A: ["93.184.216.34"] } } }, "allow"],
    ["an alias to a private address", { dns: { [name]: { cname: "b.example." }, "b.example": ["10.0.0.1"] } }, "deny"],
    ["an alias of itself", { dns: { [name]: { CNAME: name } } }, "deny"],
    ["records of both kinds", { dns: { [name]: { A: ["93.184.216.34"], AAAA: ["fd00::1"], ttl: 0 } } }, "deny"],
    ["an address that stands alone", { dns: { "EXAMPLE.com.": "93.184.216.34" } }, "allow"],
    ["no name", { dns: { [name]: null } }, "deny"],
    ["a failure", { dns: { [name]: "SERVFAIL" } }, "deny"],
    ["a failure, then an answer", { dns: { [name]: ["SERVFAIL", ["93.184.216.34"]] } }, "deny"],
    ["no answers", { dns: { [name]: [[], ["93.184.216.34"]] } }, "deny"],
    ["a redirect that is only a location", { redirects: ["/next"], assert: "hops=2" }, "allow"],
    ["a redirect without a location", { redirects: [{ status: 302 }], assert: "hops=1" }, "allow"],
    ["a redirect with a line break", { redirects: ["https://example.com/\r\nx: y"] }, "deny"],
    ["opened ports", { url: "https://example.com:8443/", config: { allow_ports: [8443] } }, "allow"],
    ["credentials that are dropped", { redirects: ["https://b.example/"], dns: { "*": [] }, assert: "no credentials after hop 1" }, "deny"],
    ["a name of the engine", { self_hosts: ["Example.COM."] }, "deny"],
    ["a name of the engine among the settings", { config: { self_hosts: ["example.com"] } }, "deny"],
    ["a name of the engine, on another port", { url: "http://example.com:80/", self_hosts: ["other.example", "example.com"] }, "deny"],
    [
      "a redirect to a name of the engine",
      { redirects: ["https://b.example/"], dns: { [name]: ["93.184.216.34"], "b.example": ["93.184.216.34"] }, self_hosts: ["b.example"] },
      "deny",
    ],
    ["another name than the engine's", { self_hosts: ["engine.example.com", "com"] }, "allow"],
    ["variables that have no say", { assert: "proxy variables ignored; certificate is verified" }, "allow"],
  ])("the form is understood: %s", async (_name, changes, verdict) => {
    vi.stubEnv("NODE_TLS_REJECT_UNAUTHORIZED", "0");
    expect(await url(changes)).toMatchObject({ verdict });
  });
});
