import { createMemorySecretStore, type SecretStore } from "@toolwright/engine/ports";
import { describe, expect, test } from "vitest";
import { createCallSite } from "../testing/call-site.ts";
import { takeBoundSecret } from "./take-bound-secret.ts";

function storeWith(origin: string) {
  const secrets = createMemorySecretStore();
  void secrets.set({ tenant: "tenant_test", name: "TOKEN" }, "secret-token", { hosts: [origin] });
  return secrets;
}

/** A store of one's own, which lets through what ours refuse. */
const careless = (origin: string, value = "secret-token"): SecretStore => ({
  ...createMemorySecretStore(),
  getBound: async () => ({ origins: [origin], value }),
});

const take = (url: string, secrets: SecretStore | undefined, site = createCallSite()) =>
  takeBoundSecret("TOKEN", new URL(url), { site, secrets });

describe("R-GT-2 R-NW-5 the secret of https://git.example", () => {
  test.each([
    ["the origin itself", "https://git.example/a.git"],
    ["the default port, written out", "https://git.example:443/a.git"],
    ["another case", "https://GIT.example/a.git"],
  ])("is taken for %s, and marked", async (_name, url) => {
    const site = createCallSite();
    expect(await take(url, storeWith("https://git.example"), site)).toMatchObject({ value: "secret-token" });
    expect(site.tainted).toEqual(["secret-token"]);
  });

  test("is noted as used by the tool that took it, and only then", async () => {
    const secrets = storeWith("https://git.example");
    const usedBy = async () => (await secrets.list("tenant_test"))[0]?.lastUsedBy;
    await expect(take("https://evil.example/a.git", secrets)).rejects.toThrow();
    expect(await usedBy()).toBeUndefined();
    const site = createCallSite();
    await take("https://git.example/a.git", secrets, site);
    expect(await usedBy()).toBe(site.tool);
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
  ])("is refused for %s, with what to do and without its value", async (_name, url) => {
    await expect(take(url, storeWith("https://git.example"))).rejects.toMatchObject({
      code: "url_refused",
      message: expect.stringMatching(/^(?!.*secret-token).*"TOKEN".*--host/),
    });
  });

  test.each([
    ["CR", "secret\rhost=evil.example"],
    ["LF", "secret\nhost=evil.example"],
    ["NUL", "secret\0"],
    ["a line separator", "secret\u2028"],
    ["nothing", ""],
  ])("is refused when it holds %s, without showing it", async (_name, value) => {
    await expect(take("https://git.example/a", careless("https://git.example", value))).rejects.toMatchObject({
      code: "secret_missing",
      message: expect.not.stringContaining("secret\n"),
    });
  });
});

test("a binding to plain http that a store of one's own let through is not followed beyond the loopback", async () => {
  await expect(take("http://git.example/", careless("http://git.example"))).rejects.toMatchObject({ code: "url_refused" });
  expect(await take("http://127.0.0.1:80/", careless("http://127.0.0.1"))).toMatchObject({ value: "secret-token" });
});

test.each([
  ["another tenant's", { principal: { tenant: "other" } }],
  ["no store's", undefined],
])("%s secret is missing", async (_name, site) => {
  const secrets = site && storeWith("https://git.example");
  await expect(take("https://git.example/", secrets, createCallSite(site))).rejects.toMatchObject({ code: "secret_missing" });
});

test("one that was set anew while it was fetched for an approved call is not sent", async () => {
  const secrets = storeWith("https://git.example");
  const racing: SecretStore = {
    ...secrets,
    async getBound(...which) {
      const bound = await secrets.getBound(...which);
      await secrets.set({ tenant: "tenant_test", name: "TOKEN" }, "another-token", { hosts: ["https://git.example"] });
      return bound;
    },
  };
  await expect(take("https://git.example/", racing, createCallSite({ approved: true }))).rejects.toMatchObject({ code: "approval_void" });
  expect(await take("https://git.example/", racing)).toMatchObject({ value: "another-token" });
});
