import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import type { Frame, Page } from "playwright-core";
import type { Console } from "./console.ts";

const origin = "http://127.0.0.1:9";

/** What a host allows an app whose server declares no domain (MCP Apps 2026-01-26, "Host Behavior" and "Sandbox proxy", 5). */
const appPolicy = [
  "default-src 'none'",
  "script-src 'self' 'unsafe-inline'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  "media-src 'self' data:",
  "connect-src 'none'",
  "frame-src 'none'",
  "object-src 'none'",
  "base-uri 'self'",
].join("; ");

/** The host's side of the conversation. What the app said is in `heard`. */
const hostPage = `<!doctype html><html lang="en"><title>Host</title><style>iframe { width: 100%; border: 0 }</style>
<iframe title="App" sandbox="allow-scripts" src="/app"></iframe>
<script>
const frame = document.querySelector("iframe");
const heard = [];
const send = (message) => frame.contentWindow.postMessage({ jsonrpc: "2.0", ...message }, "*");
const tell = (name, params) => send({ method: "ui/notifications/" + name, params });
addEventListener("message", ({ source, data }) => {
  if (source !== frame.contentWindow) return;
  heard.push(data);
  if (data.method === "ui/initialize") {
    const hostContext = { theme: new URLSearchParams(location.search).get("theme"), displayMode: "inline" };
    send({ id: data.id, result: { protocolVersion: "2026-01-26", hostInfo: { name: "host", version: "1" }, hostCapabilities: {}, hostContext } });
  }
  if (data.method === "ui/notifications/size-changed") frame.style.height = data.params.height + "px";
});
</script></html>`;

export interface HostedApp {
  readonly page: Page;
  readonly frame: Frame;
  /** All that the browser asked for. */
  readonly requests: readonly string[];
  tell(name: string, params: unknown): Promise<void>;
  /** Methods of what the app said, without those of its size, and the answers to what the host asked. */
  heard(): Promise<readonly unknown[]>;
}

/** A program that shows MCP Apps: what it reads comes over MCP from the server, and the app gets it as such programs pass it on. */
export class AppHost {
  readonly #console: Console;
  readonly client: Client;

  private constructor(console: Console, client: Client) {
    this.#console = console;
    this.client = client;
  }

  static async connect(console: Console): Promise<AppHost> {
    const extensions = { "io.modelcontextprotocol/ui": { mimeTypes: ["text/html;profile=mcp-app"] } };
    const client = new Client({ name: "host", version: "1" }, { capabilities: { extensions } });
    await client.connect(new StreamableHTTPClientTransport(new URL(console.served.mcp)));
    return new AppHost(console, client);
  }

  /** Reads the app that the tool leads to, and shows it. */
  async show(name: string, theme: "light" | "dark"): Promise<HostedApp> {
    const tool = (await this.client.listTools()).tools.find((each) => each.name === name);
    const { resourceUri = "" } = (tool?._meta?.ui ?? {}) as { readonly resourceUri?: string };
    const [content] = (await this.client.readResource({ uri: resourceUri })).contents;
    const html = content && "text" in content ? content.text : "";
    const page = await this.#console.browsers.open([origin], { viewport: { width: 720, height: 800 } });
    const requests: string[] = [];
    page.on("request", (request) => requests.push(request.url()));
    await page.route("**", (route) => {
      const { pathname } = new URL(route.request().url());
      const headers = { "content-type": "text/html; charset=utf-8", ...(pathname === "/app" && { "content-security-policy": appPolicy }) };
      return route.fulfill({ headers, body: pathname === "/app" ? html : hostPage });
    });
    await page.goto(`${origin}/?theme=${theme}`);
    await page.waitForFunction(`heard.some(({ method }) => method === "ui/notifications/initialized")`);
    const frame = page.frames()[1];
    if (!frame) throw new Error("The host shows no app.");
    return {
      ...{ page, frame, requests },
      tell: async (kind, params) => void (await page.evaluate(`tell(${JSON.stringify(kind)}, ${JSON.stringify(params)})`)),
      heard: () =>
        page.evaluate(
          `heard.map(({ jsonrpc, method = "answer", id, ...rest }) => method === "answer" ? rest : method).filter((method) => !/size-changed/.test(method))`,
        ),
    };
  }
}
