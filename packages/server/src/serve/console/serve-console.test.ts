import { mkdirSync, mkdtempSync, readFileSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { brotliCompressSync, brotliDecompressSync, gunzipSync, gzipSync } from "node:zlib";
import { afterAll, describe, expect, it } from "vitest";
import { ConsoleFiles } from "./console-files.ts";
import { serveConsole } from "./serve-console.ts";

const folder = mkdtempSync(join(tmpdir(), "toolwright-console-"));
afterAll(() => rmSync(folder, { recursive: true }));

const script = "globalThis.loaded = true;".repeat(20);
const files = build();

function build(): ConsoleFiles {
  mkdirSync(join(folder, "assets"));
  const write = (name: string, content: string | Buffer) => writeFileSync(join(folder, name), content);
  const [brotli, gzip] = [brotliCompressSync(script), gzipSync(script)];
  write("index.html", '<html><head><script type="module" src="/assets/a-1.js" nonce="{nonce}"></script></head><body></body></html>');
  write("assets/a-1.js", script);
  write("assets/a-1.js.br", brotli);
  write("assets/a-1.js.gz", gzip);
  write("assets/i-1.svg", "<svg/>");
  const described = {
    hash: "h1",
    pages: { "/": [], "/tools": ["/assets/tools-1.js", "/assets/tools-1.css"], "/tools/$name": [] },
    files: {
      "/assets/a-1.js": { type: "text/javascript", size: script.length, brotli: brotli.length, gzip: gzip.length },
      "/assets/i-1.svg": { type: "image/svg+xml", size: 6 },
      "/assets/gone-1.svg": { type: "image/svg+xml", size: 6 },
    },
  };
  write("build.json", JSON.stringify(described));
  return ConsoleFiles.open(folder) as ConsoleFiles;
}

const get = (path: string, headers: Record<string, string> = {}, method = "GET") =>
  serveConsole(new Request(`http://127.0.0.1${path}`, { method, headers }), files, { peopleSignIn: true });

describe("pages", () => {
  it.each([{ path: "/" }, { path: "/tools" }, { path: "/tools/" }, { path: "/tools/file_read" }, { path: "/tools/a%2Fb" }])(
    "$path is one",
    async ({ path }) => {
      const response = await get(path);
      expect(response?.status).toBe(200);
      expect(response?.headers.get("content-type")).toBe("text/html; charset=utf-8");
    },
  );

  it.each([{ path: "/tool" }, { path: "/tools/a/b" }, { path: "/index.html" }, { path: "/build.json" }, { path: "/approvals" }])(
    "$path is none",
    async ({ path }) => {
      expect(await get(path)).toBeUndefined();
    },
  );

  it("name what they load first, so that it comes at once", async () => {
    const page = (await (await get("/tools"))?.text()) ?? "";
    expect(page).toMatch(/<link rel="modulepreload" crossorigin href="\/assets\/tools-1\.js" nonce="[^"]+"><link rel="stylesheet"/);
    expect(page).toContain('<meta name="toolwright-build" content="h1">');
  });

  it("have a nonce of their own each time, which the policy names (R-UI-2)", async () => {
    const nonces = await Promise.all(
      [1, 2].map(async () => {
        const response = await get("/");
        const [, nonce = ""] = /style-src 'self' 'nonce-([^']+)'/.exec(response?.headers.get("content-security-policy") ?? "") ?? [];
        expect(await response?.text()).toContain(`nonce="${nonce}"`);
        return nonce;
      }),
    );
    expect(new Set(nonces).size).toBe(2);
    expect(nonces[0]).toMatch(/^[\w+/]{24}$/);
  });

  it("let in nothing else, and are kept by nobody (R-UI-2)", async () => {
    const { headers } = (await get("/")) as Response;
    const policy = (headers.get("content-security-policy") ?? "").replace(/'nonce-[^']+'/, "'nonce'");
    expect(policy).toBe(
      "default-src 'none'; script-src 'self'; style-src 'self' 'nonce'; img-src 'self' blob: data:; font-src 'self'; connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types default",
    );
    expect(Object.fromEntries(headers)).toMatchObject({
      "cache-control": "no-store",
      "x-content-type-options": "nosniff",
      "referrer-policy": "no-referrer",
      "x-frame-options": "DENY",
    });
  });
});

describe("files", () => {
  it.each([
    { accepts: "gzip, deflate, br, zstd", encoding: "br" },
    { accepts: "gzip", encoding: "gzip" },
    { accepts: "BR;q=0.5", encoding: "br" },
    { accepts: "br;q=0, gzip", encoding: "gzip" },
    { accepts: "br;q=0.000, gzip;q=0", encoding: null },
    { accepts: "", encoding: null },
  ])("come as $encoding to who takes '$accepts'", async ({ accepts, encoding }) => {
    const response = (await get("/assets/a-1.js", { "accept-encoding": accepts })) as Response;
    expect(response.headers.get("content-encoding")).toBe(encoding);
    expect(response.headers.get("vary")).toBe("accept-encoding");
    const bytes = Buffer.from(await response.arrayBuffer());
    expect(response.headers.get("content-length")).toBe(String(bytes.length));
    const decode = { br: brotliDecompressSync, gzip: gunzipSync }[encoding ?? ""] ?? ((plain: Buffer) => plain);
    expect(decode(bytes).toString()).toBe(script);
  });

  it("are kept for ever, because their name says what is in them", async () => {
    const { headers } = (await get("/assets/i-1.svg")) as Response;
    expect(Object.fromEntries(headers)).toMatchObject({
      "cache-control": "public, max-age=31536000, immutable",
      "content-type": "image/svg+xml",
      "x-content-type-options": "nosniff",
    });
  });

  it("have no body for HEAD", async () => {
    const response = (await get("/assets/i-1.svg", {}, "HEAD")) as Response;
    expect(response.headers.get("content-length")).toBe("6");
    expect(await response.text()).toBe("");
  });

  it.each([
    { path: "/assets/a-0.js" },
    { path: "/assets/..%2fbuild.json" },
    { path: "/assets/a-1.js.br" },
    { path: "/assets/constructor" },
    { path: "/assets/" },
  ])("$path is missing, and never the page", async ({ path }) => {
    const response = (await get(path)) as Response;
    expect(response.status).toBe(404);
    expect(response.headers.get("content-type")).toBe("text/plain; charset=utf-8");
    expect(response.headers.get("cache-control")).toBe("no-store");
  });
});

describe("a build", () => {
  it("says which it is, so that an open page learns of a newer one", async () => {
    const response = (await get("/console.json")) as Response;
    expect(await response.json()).toEqual({ build: "h1", peopleSignIn: true });
    expect(response.headers.get("cache-control")).toBe("no-store");
  });

  it("is none where nothing was built, or only a part", () => {
    expect(ConsoleFiles.open(join(folder, "nowhere"))).toBeUndefined();
    const half = join(folder, "half");
    mkdirSync(half);
    writeFileSync(join(half, "build.json"), "{");
    expect(ConsoleFiles.open(half)).toBeUndefined();
  });
});

describe("a build that takes the place of the one that is served", () => {
  it("is served from then on, and a file of the one before is missing", async () => {
    const last = JSON.parse(readFileSync(join(folder, "build.json"), "utf8")) as { readonly files: object };
    expect((await get("/assets/i-1.svg"))?.status).toBe(200);
    expect((await get("/assets/gone-1.svg"))?.status).toBe(404);
    writeFileSync(join(folder, "build.json"), JSON.stringify({ ...last, hash: "h2", files: {} }));
    utimesSync(join(folder, "build.json"), 1, 1);
    expect(await (await get("/console.json"))?.json()).toMatchObject({ build: "h2" });
    expect((await get("/assets/i-1.svg"))?.status).toBe(404);
    rmSync(join(folder, "build.json"));
    expect((await get("/"))?.status).toBe(200);
  });
});
