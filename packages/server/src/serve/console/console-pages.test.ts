import { describe, expect, it } from "vitest";
import type { ConsoleFiles } from "./console-files.ts";
import { consolePages } from "./console-pages.ts";

const pageAt = (path: string) => (path === "/tools" ? "<html>" : undefined);
const files = { build: { hash: "h1" }, refresh() {}, pageAt } as unknown as ConsoleFiles;
const pages = consolePages({ state: () => ({ state: "ready", files }), hosts: ["localhost", "127.0.0.1"], facts: { peopleSignIn: false } });
const ask = (path: string, headers: Record<string, string>) => pages(new Request(`http://localhost${path}`, { headers }));
const browser = { accept: "text/html,application/xhtml+xml,*/*;q=0.8", host: "localhost:7777" };

describe("who gets a page of the console", () => {
  it("a browser", async () => {
    expect((await ask("/tools", browser))?.status).toBe(200);
  });

  it.each([
    { name: "a program that reads text", path: "/tools", headers: { ...browser, accept: "*/*" } },
    { name: "a path that is no page", path: "/tool", headers: browser },
  ])("not $name", async ({ path, headers }) => {
    expect(await ask(path, headers)).toBeUndefined();
  });

  it("nobody under a name that leads here by somebody else's DNS (R-MC-2)", async () => {
    const refused = await ask("/tools", { ...browser, host: "evil.example:7777" });
    expect(refused?.status).toBe(403);
    expect(await refused?.text()).toMatch(/evil\.example/);
    expect((await ask("/console.json", { host: "evil.example" }))?.status).toBe(403);
  });

  it("nobody while there is none", async () => {
    const none = consolePages({ state: () => ({ state: "building" }), hosts: ["localhost"], facts: { peopleSignIn: false } });
    expect(await none(new Request("http://localhost/tools", { headers: browser }))).toBeUndefined();
  });

  it("who works on pages, with a nonce for the script that the page begins with", async () => {
    const live = consolePages({
      state: () => ({ state: "live", page: async (path, nonce) => `${path} ${nonce}` }),
      hosts: ["localhost"],
      facts: { peopleSignIn: false },
    });
    const answer = await live(new Request("http://localhost/tools", { headers: browser }));
    const [path, nonce] = (await answer?.text())?.split(" ") ?? [];
    expect(path).toBe("/tools");
    expect(answer?.headers.get("content-security-policy")).toContain(
      `script-src 'self' 'nonce-${nonce}'; style-src 'self' 'nonce-${nonce}'`,
    );
    expect(await (await live(new Request("http://localhost/console.json", { headers: { host: "localhost" } })))?.json()).toEqual({
      peopleSignIn: false,
    });
    expect((await live(new Request("http://localhost/tools", { headers: { ...browser, host: "evil.example" } })))?.status).toBe(403);
  });
});
