import { describe, expect, test } from "vitest";
import { type ReadOptions, readPage } from "./readable-page.ts";

const prose = `<p>${"A sentence of the article that is long enough to count as one. ".repeat(12)}</p>`;
const read = (html: string, options: Partial<ReadOptions> = {}) =>
  readPage(html, { url: "https://example.com/docs/page", links: true, ...options });

describe("an article", () => {
  const page = `<html><head><title>Title &amp; more</title><meta name="author" content="Jane Doe"></head><body>
    <nav><a href="/">Home</a></nav><article><h1>Head</h1>${prose}${prose}<h2>Code</h2><pre><code class="language-js">let a = 1;
  b();</code></pre><table><tr><th>a</th><th>b</th></tr><tr><td>1 | 2</td><td><code>x</code></td></tr></table>
    <ul><li>one</li><li>two</li></ul>${prose}</article><footer>Imprint</footer></body></html>`;

  test("keeps title, author, code with its language, tables and lists, and loses navigation", () => {
    const { title, byline, extent, markdown } = read(page);
    expect({ title, byline, extent }).toEqual({ title: "Title & more", byline: "Jane Doe", extent: "article" });
    expect(markdown).toContain("```js\nlet a = 1;\n  b();\n```");
    expect(markdown).toContain("| a | b |\n| --- | --- |\n| 1 \\| 2 | `x` |");
    expect(markdown).toMatch(/-\s+one\n-\s+two/);
    expect(markdown).not.toMatch(/Home|Imprint/);
  });
});

describe("any other page", () => {
  test.each([
    ["a fragment", "<p>Hello <b>you</b>", "Hello **you**"],
    ["a page without its body's tag", "<!doctype html><html lang=en><head><title>T</title></head><p>Hello", "Hello"],
    ["a page whose head has no end", "<html><head><title>T</title><style>p{}</style><p>Hello", "Hello"],
    ["relative links", '<a href="../x?a=1#b">x</a>', "[x](https://example.com/x?a=1#b)"],
    [
      "links below a base",
      '<html><head><base href="https://cdn.example/a/"></head><body><a href="x">x</a></body></html>',
      "[x](https://cdn.example/a/x)",
    ],
    ["the main part only", "<html><body><div>menu</div><main>text</main></body></html>", "text"],
    ["an image's words", '<img src="https://evil.example/p.png" alt="A  chart">', "[Image: A chart]"],
    ["nothing", "", ""],
  ])("%s", (_name, html, markdown) => {
    expect(read(html)).toMatchObject({ extent: "page", markdown });
  });

  test("links can be left out", () => {
    expect(read('<a href="/x">text</a>', { links: false }).markdown).toBe("text");
  });
});

describe("hostile pages", () => {
  test.each([
    ["a script", "<p>a</p><script>globalThis.pwned = true</script>"],
    ["an event handler", '<p>a</p><img src="x" onerror="globalThis.pwned = true">'],
    ["a script link", '<a href="javascript:globalThis.pwned=true">a</a>'],
    ["a data link", '<a href="data:text/html,x">a</a>'],
    ["a frame", '<p>a</p><iframe src="https://evil.example/"></iframe>'],
    ["a style", "<p>a</p><style>@import url(https://evil.example/)</style>"],
  ])("%s leaves nothing but text", (_name, html) => {
    expect(read(html).markdown).toBe("a");
    expect("pwned" in globalThis).toBe(false);
  });
});

describe("an empty shell", () => {
  const shell = (body: string) => `<!doctype html><html><head><title>App</title></head><body>${body}</body></html>`;

  test.each([
    [
      "a root that waits for its bundle",
      shell(
        '<noscript>You need to enable JavaScript to run this app.</noscript><div id="root"></div><script src="/static/js/main.js"></script>',
      ),
    ],
    ["another one", shell('<app-root>\n</app-root><script type="module" src="main-ABC.js"></script>')],
    ["much of everything but text", shell(`<p>Loading…</p><script>window.state = ${JSON.stringify("x".repeat(6_000))}</script>`)],
  ])("is told from a page: %s", (_name, html) => expect(read(html).isShell).toBe(true));

  test.each([
    ["a short page", shell("<p>It works.</p>")],
    ["a short page that counts its visitors", shell('<p>It works.</p><script src="count.js"></script>')],
    ["a page that was made on the server", shell(`<div id="root">${prose}${prose}</div><script src="/static/js/main.js"></script>`)],
    ["much HTML without scripts", shell(`<style>${"a{}".repeat(3_000)}</style><p>Short.</p>`)],
    ["a large page with scripts", shell(`${prose.repeat(4)}<script src="x.js"></script>`)],
    ["nothing", ""],
  ])("is not seen in %s", (_name, html) => expect(read(html).isShell).toBe(false));
});
