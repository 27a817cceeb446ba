import { createHash } from "node:crypto";
import { defineTool } from "@toolwright/engine";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { add, openRest, pay } from "../../../test/rest-client.ts";

const open = (options: Parameters<typeof openRest>[0] = {}) => {
  const opened = openRest(options);
  return async (path: string, as = "ann") => {
    const response = await opened.ask("GET", `/api/reference${path}`, { as });
    return { status: response.status, headers: response.headers, text: await response.text() };
  };
};

const hostile = `<script>alert(1)</script>"'&\`</pre>\`<img src=x onerror=alert(1)>`;

const nasty = defineTool({
  name: "nasty",
  title: hostile,
  group: hostile,
  description: hostile,
  input: z.object({ [hostile]: z.enum([hostile]).describe(hostile), note: z.string().default(hostile) }),
  output: z.object({ [hostile]: z.string().describe(hostile) }),
  examples: [{ label: hostile, input: { [hostile]: hostile, note: "it's $HOME" } }],
  run: () => ({ [hostile]: "" }),
});

describe("the reference", () => {
  it("lists tools and operations by group, as names that lead to their pages", async () => {
    const { status, headers, text } = await open()("");
    expect([status, headers.get("content-type")]).toEqual([200, "text/html; charset=utf-8"]);
    expect(text).toContain('<a href="/api/reference/tools/add"><code>add</code></a>');
    expect(text).toContain('<a href="/api/reference/operations/runs#runs.list"><code>runs.list</code></a>');
    expect(text).not.toContain("Adds two whole numbers.");
  });

  it("shows a tool with its description, members, examples as a request in a shell, and output", async () => {
    const told = defineTool({ ...add, examples: [{ label: "Two numbers", input: { a: 1, b: 2 } }] });
    const { text } = await open({ engine: { tools: [told, pay] } })("/tools/add");
    for (const shown of ["Adds two whole numbers.", "POST /api/tools/add/call", "Two numbers", "Idempotency-Key", "<code>sum</code>"])
      expect(text).toContain(shown);
    expect(text).toContain("-d &#39;{&quot;a&quot;:1,&quot;b&quot;:2}&#39;");
    expect(text).toMatch(/<code>a<\/code><\/td><td>integer/);
  });

  it("shows operations with their parameters, what they need and what they answer", async () => {
    const read = open();
    const { text } = await read("/operations/policy");
    for (const shown of ['id="policy.put"', "PUT /api/policy", "If-Match", "Needs the permission <code>policy:manage</code>.", "-X PUT"])
      expect(text).toContain(shown);
    expect((await read("/operations/runs")).text).toMatch(/<code>items\[\]\.id<\/code>/);
    expect((await read("/problems")).text).toContain("<code>idempotency_mismatch</code></td><td>422");
  });

  it("lets no script run and nothing load", async () => {
    const read = open();
    for (const path of ["", "/tools/add", "/operations/runs", "/problems", "/tools/none"]) {
      const { headers, text } = await read(path);
      expect(headers.get("content-security-policy")).toMatch(
        /^default-src 'none'; style-src 'sha256-[\w+/=]+'; frame-ancestors 'none'; base-uri 'none'/,
      );
      const [, style = ""] = /<style>(.*?)<\/style>/s.exec(text) ?? [];
      expect(headers.get("content-security-policy")).toContain(`'sha256-${createHash("sha256").update(style).digest("base64")}'`);
      expect(text).not.toMatch(/<script|\son\w+=|\sstyle=|javascript:/i);
    }
  });

  it("shows whatever a tool says of itself as text", async () => {
    const read = open({ engine: { tools: [nasty] } });
    for (const path of ["", "/tools/nasty"]) {
      const { status, text } = await read(path);
      expect([path, status]).toEqual([path, 200]);
      expect(text).not.toMatch(/<script|<img|<code><\/pre>/i);
      expect(text).toContain("&lt;script&gt;");
    }
    expect((await read(`/tools/${encodeURIComponent(hostile)}`)).text).not.toMatch(/<script|<img/i);
    // In the shell, too: a quote in an input ends no word.
    expect((await read("/tools/nasty")).text).toContain("it&#39;\\&#39;&#39;s $HOME");
  });

  it("answers for what is hidden as for what there is not", async () => {
    const secret = defineTool({ ...add, name: "secret_sum", permission: "sums:read" });
    const read = open({ engine: { tools: [secret] } });
    const [hidden, missing] = [await read("/tools/secret_sum"), await read("/tools/secret_none")];
    expect([hidden.status, hidden.text.replaceAll("secret_sum", "X")]).toEqual([404, missing.text.replaceAll("secret_none", "X")]);
    expect((await read("/operations/policy", "ci")).text).not.toContain("policy.put");
    expect((await read("", "nobody")).status).toBe(401);
  });
});
