// Serves the console from its sources, in the server and on its port: a change is in the page at once. Everything else is as with `npm start`.
//   npm run dev                    on 127.0.0.1:7777
//   npm run dev -- --port 7800     with options of toolwright serve
import { readFile } from "node:fs/promises";
import type { Server } from "node:http";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { start } from "../packages/cli/src/main.ts";
import type { Front } from "../packages/server/src/serve/listen.ts";
import { alone, installPackages } from "../web/install.ts";

const web = fileURLToPath(new URL("../web/", import.meta.url));

/** What this uses of Vite, which the lock file of `web` alone has. */
interface Vite {
  readonly middlewares: Front;
  transformIndexHtml(path: string, html: string): Promise<string>;
}

/** Paths below which Vite serves modules. Nothing of the server begins like them. */
const modules = /^\/(?:@vite\/|@id\/|@fs\/|@react-refresh$|src\/|node_modules\/)/;

let vite: Promise<Vite> | undefined;

await alone(() => installPackages());
await start(["serve", ...process.argv.slice(2)], { live: { front: openFront, page } });

async function openFront(server: Server): Promise<Front> {
  vite = openVite(server);
  const { middlewares } = await vite;
  return (request, response, next) => {
    const { pathname } = new URL(request.url ?? "/", "http://localhost");
    if (modules.test(pathname)) middlewares(request, response, next);
    else next();
  };
}

async function openVite(server: Server): Promise<Vite> {
  const { createServer } = await import("../web/node_modules/vite/dist/node/index.js" as string);
  return createServer({
    root: web,
    configFile: join(web, "vite.config.ts"),
    appType: "custom",
    clearScreen: false,
    server: {
      middlewareMode: true,
      cors: false,
      // On the same port, so that the content security policy names no other. What went wrong is in the terminal: the page takes no markup from text.
      hmr: { server, overlay: false },
      fs: { allow: [web, fileURLToPath(new URL("../packages/", import.meta.url))] },
    },
  });
}

async function page(path: string, nonce: string): Promise<string> {
  const html = await (await vite)?.transformIndexHtml(path, await readFile(join(web, "index.html"), "utf8"));
  return (html ?? "").replaceAll("{nonce}", nonce);
}
