import { call, html, openBrowserPlace } from "./open-browser-place.ts";

/** Opens a page, says so, and waits to be killed. */
const place = await openBrowserPlace((_request, response) => html(response, "<h1>Open</h1>"));
const page = await call(place.scope(), "open", { url: "http://shop.example/" });
process.stdout.write(`${page.snapshot.split("\n")[0]}\n`);
