import { tmpdir } from "node:os";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { call, chromium, html, openBrowserPlace } from "../test/integration/browser/open-browser-place.ts";
import { median, medianRatio, type Row } from "./measure.ts";

const rounds = 9;
const peerName = "@playwright/mcp";
const kilobyte = 1_000;
const rows = Array.from({ length: 3000 }, (_, row) => `<tr><td>${row}</td><td><a href="/x${row}">Order ${row}</a></td></tr>`).join("");
const links = Array.from({ length: 60 }, (_, link) => `<li><a href="/l${link}">Article ${link} of the day</a></li>`).join("");
const pages: Readonly<Record<string, string>> = {
  "/page": `<title>News</title><nav><ul>${links}</ul></nav><main><h1>News</h1><p>${"words ".repeat(300)}</p><form><input><button>Go</button></form></main>`,
  "/table": `<title>Orders</title><table>${rows}</table>`,
};

/** A page that is opened and shown, by tools over a browser that runs. */
interface Side {
  show(path: string): Promise<string>;
  /** JSON of the list of tools. */
  list(): Promise<string>;
  close(): Promise<unknown>;
}

async function openOurs(): Promise<Side & { readonly port: number }> {
  const place = await openBrowserPlace(({ url = "" }, response) => html(response, pages[url] ?? "<h1>Nothing</h1>"));
  const scope = place.scope();
  return {
    port: place.port,
    show: async (path) => (await call(scope, "open", { url: `http://bench.example${path}` })).snapshot,
    list: async () =>
      JSON.stringify(
        scope.list().map(({ name, title, description, inputSchema, outputSchema, hints }) => ({
          name,
          title,
          description,
          inputSchema,
          outputSchema,
          annotations: hints,
        })),
      ),
    close: () => place.close(),
  };
}

async function openPeer(port: number): Promise<Side> {
  const cli = new URL("node_modules/@playwright/mcp/cli.js", import.meta.url).pathname;
  const args = [cli, "--headless", "--isolated", "--no-sandbox", "--executable-path", chromium as string, "--output-dir", tmpdir()];
  const client = new Client({ name: "bench", version: "1" });
  await client.connect(new StdioClientTransport({ command: process.execPath, args, stderr: "ignore" }));
  return {
    async show(path) {
      const { content } = await client.callTool({ name: "browser_navigate", arguments: { url: `http://127.0.0.1:${port}${path}` } });
      const { content: shown } = await client.callTool({ name: "browser_snapshot", arguments: {} });
      return JSON.stringify([content, shown]);
    },
    list: async () => JSON.stringify((await client.listTools()).tools),
    close: () => client.close(),
  };
}

async function time(work: () => Promise<unknown>): Promise<number> {
  const begun = performance.now();
  await work();
  return performance.now() - begun;
}

/** A sandboxed browser beside one without a sandbox: from nothing, a page, a large page, and what the tools cost a model. */
export async function measure(): Promise<readonly Row[]> {
  const ours = await openOurs();
  const peer = await openPeer(ours.port);
  try {
    const cold = { ours: await time(() => ours.show("/page")), peer: await time(() => peer.show("/page")) };
    const warm: { ours: number[]; peer: number[] } = { ours: [], peer: [] };
    for (let round = 0; round < rounds; round += 1) {
      warm.ours.push(await time(() => ours.show("/page")));
      warm.peer.push(await time(() => peer.show("/page")));
    }
    const lists = { ours: Buffer.byteLength(await ours.list()) / kilobyte, peer: Buffer.byteLength(await peer.list()) / kilobyte };
    const shown = { ours: "", peer: "" };
    const large = {
      ours: await time(async () => (shown.ours = await ours.show("/table"))),
      peer: await time(async () => (shown.peer = await peer.show("/table"))),
    };
    const sizes = { ours: Buffer.byteLength(shown.ours) / kilobyte, peer: Buffer.byteLength(shown.peer) / kilobyte };
    const pair = (name: string, unit: string, most: number, sides: { readonly ours: number; readonly peer: number }): Row => ({
      ...{ name, unit, peerName, ...sides, ratio: sides.ours / sides.peer },
      ...{ target: `at most ${most} ${unit}`, holds: sides.ours <= most },
    });
    const ratio = medianRatio(warm.ours, warm.peer);
    return [
      pair("first page, browser started", "ms", 2_500, cold),
      {
        ...{ name: "open and snapshot", ours: median(warm.ours), peer: median(warm.peer), peerName, ratio, unit: "ms" },
        ...{ target: "at most 1.3 times", holds: ratio <= 1.3 },
      },
      pair("list of tools", "kB", 12, lists),
      pair("open and snapshot a table of 3,000 rows", "ms", 3_000, large),
      pair("its snapshot", "kB", 20, sizes),
    ];
  } finally {
    await Promise.all([ours.close(), peer.close()]);
  }
}
