import { describe, expect, test } from "vitest";
import { readSecretOrigin } from "./secret-origin.ts";

describe("R-GT-2 R-NW-5 a secret is bound to one origin", () => {
  test.each([
    ["a name", "api.github.com", "https://api.github.com"],
    ["a name in another case", "API.github.com", "https://api.github.com"],
    ["a name with a port", "git.example:8443", "https://git.example:8443"],
    ["the default port, written out", "git.example:443", "https://git.example"],
    ["an origin", "https://git.example", "https://git.example"],
    ["an origin with a slash", "https://git.example/", "https://git.example"],
    ["a loopback address over http", "http://127.0.0.1:8080", "http://127.0.0.1:8080"],
    ["a loopback address of IPv6 over http", "http://[::1]:8080", "http://[::1]:8080"],
  ])("%s", (_name, text, origin) => expect(readSecretOrigin(text)).toBe(origin));

  test.each([
    ["every host", "*"],
    ["every name below", "*.git.example"],
    ["plain http", "http://git.example"],
    ["a name that only sounds like the loopback", "http://localhost.example"],
    ["a name for the loopback, over http", "http://localhost:8080"],
    ["a path", "https://git.example/owner"],
    ["a query", "https://git.example?x"],
    ["an empty fragment", "https://git.example#"],
    ["a user name", "https://user@git.example"],
    ["an empty user name", "https://@git.example"],
    ["another transport", "ssh://git.example"],
    ["a line break", "https://git.example\n"],
    ["an encoded line break (CVE-2020-5260)", "git.example%0ahost=evil.example"],
    ["two hosts", "a.example b.example"],
    ["a backslash", "https:\\\\git.example"],
    ["nothing", ""],
  ])("not to %s", (_name, text) => expect(readSecretOrigin(text)).toBeUndefined());
});
