import { createMemorySecretStore } from "@toolwright/engine";
import { describe, expect, test } from "vitest";
import { checkToken, findToken } from "./git-token.ts";

function credentials(origin: string, value: string | undefined = "secret-token", username?: string) {
  const secrets = createMemorySecretStore();
  secrets.set("acme", "TOKEN", value);
  return { tokens: [{ secret: "TOKEN", origin, ...(username !== undefined && { username }) }], secrets };
}

describe("R-GT-2 the token of https://git.example", () => {
  test.each([
    ["the origin itself", "https://git.example/a.git"],
    ["the default port, written out", "https://git.example:443/a.git"],
    ["another case", "https://GIT.example/a.git"],
  ])("is found for %s", async (_name, url) => {
    const found = await findToken(new URL(url), { tenant: "acme" }, credentials("https://git.example"));
    expect(found?.authorization).toBe(`Basic ${Buffer.from("x-access-token:secret-token").toString("base64")}`);
  });

  test.each([
    ["another scheme", "http://git.example/a.git"],
    ["another port", "https://git.example:8443/a.git"],
    ["a name below", "https://www.git.example/a.git"],
    ["a name that begins like it", "https://git.example.evil.example/a.git"],
    ["a name that ends like it", "https://evilgit.example/a.git"],
    ["another name with it as user name", "https://git.example@evil.example/a.git"],
    ["a trailing dot", "https://git.example./a.git"],
    ["an encoded line break in front of the host (CVE-2020-5260)", "https://evil.example/%0ahost=git.example%0aprotocol=https"],
    ["an encoded carriage return in the user name (CVE-2024-50338)", "https://git.example%0d@evil.example/a.git"],
    ["an encoded carriage return in the path (CVE-2024-52006)", "https://evil.example/%0dhost=git.example"],
  ])("is not found for %s", async (_name, url) => {
    expect(await findToken(new URL(url), { tenant: "acme" }, credentials("https://git.example"))).toBeUndefined();
  });

  test.each([
    ["CR", "secret\rhost=evil.example"],
    ["LF", "secret\nhost=evil.example"],
    ["NUL", "secret\0"],
    ["a line separator", "secret\u2028"],
    ["nothing", ""],
  ])("is refused when it holds %s, without showing it", async (_name, value) => {
    const finding = findToken(new URL("https://git.example/a"), { tenant: "acme" }, credentials("https://git.example", value));
    await expect(finding).rejects.toMatchObject({ code: "secret_missing", message: expect.not.stringContaining("secret\n") });
  });

  test("belongs to its tenant", async () => {
    const found = await findToken(new URL("https://git.example/a"), { tenant: "other" }, credentials("https://git.example"));
    expect(found).toMatchObject({ value: undefined, authorization: undefined });
  });
});

describe("R-GT-2 a token cannot be bound to", () => {
  test.each([
    ["every host", "*"],
    ["a host without a scheme", "git.example"],
    ["plain http", "http://git.example"],
    ["a path", "https://git.example/owner"],
    ["a trailing slash", "https://git.example/"],
    ["a user name", "https://user@git.example"],
    ["another transport", "ssh://git.example"],
    ["a name that only sounds like the loopback", "http://localhost.example"],
    ["a line break", "https://git.example\n"],
  ])("%s", (_name, origin) => expect(() => checkToken({ secret: "TOKEN", origin })).toThrow(TypeError));

  test.each([
    ["a colon", "a:b"],
    ["a line break", "a\nb"],
    ["nothing", ""],
  ])("a user name with %s", (_name, username) =>
    expect(() => checkToken({ secret: "TOKEN", origin: "https://git.example", username })).toThrow(TypeError),
  );

  test.each(["https://git.example", "https://git.example:8443", "http://127.0.0.1:8080", "http://[::1]:8080"])(
    "but to %s it can",
    (origin) => expect(() => checkToken({ secret: "TOKEN", origin })).not.toThrow(),
  );
});
