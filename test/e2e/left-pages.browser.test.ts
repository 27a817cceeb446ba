import { once } from "node:events";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, test } from "vitest";
import { Browsers, browserWords, whyNoBrowser } from "./browser.ts";

test.skipIf(whyNoBrowser)(
  `a page that a test leaves tells the next one nothing, however late its answers come${browserWords}`,
  async () => {
    const late: ServerResponse[] = [];
    const server = createServer((request, response) => {
      if (request.url === "/favicon.ico") return void late.push(response);
      const isOfProduct = request.url === "/";
      response.setHeader("content-type", isOfProduct ? "text/html" : "text/plain");
      response.end(isOfProduct ? '<!doctype html><link rel="icon" href="data:,"><h1>Here</h1>' : "ok");
    }).listen(0, "127.0.0.1");
    await once(server, "listening");
    const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const browsers = await Browsers.launch();
    try {
      await (await browsers.open([origin])).goto(origin);
      expect(await browsers.closeAll()).toEqual([]);
      const page = await browsers.open([origin]);
      for (const response of late) response.writeHead(404).end();
      await page.goto(origin);
      expect(await browsers.closeAll()).toEqual([]);
      expect(late).toEqual([]);
    } finally {
      await browsers.close();
      server.closeAllConnections();
      server.close();
    }
  },
);
