import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { ToolwrightError } from "@toolwright/engine";
import { createMemorySecretStore } from "@toolwright/engine/ports";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { browserWords, call, html, openBrowserPlace, type Place, problemOf, refOf, whyNoBrowser } from "./open-browser-place.ts";

const rows = Array.from({ length: 3000 }, (_, row) => `<tr><td>${row}</td><td><a href="/x${row}">Order ${row}</a></td></tr>`).join("");
const pages: Readonly<Record<string, string>> = {
  "/": `<title>Shop</title><h1>Shop</h1><form action="/bought"><label>Name <input name="name"></label>
    <label>Password <input type="password" value="hunter2-canary"></label>
    <label>Colour <select name="colour"><option>Red</option><option value="b">Blue</option></select></label>
    <label>File <input type="file" name="file" onchange="document.title = this.files[0].name + ' ' + this.files[0].size"></label>
    <button>Buy</button></form>
    <button onclick="document.querySelector('h1').textContent = 'Sold'">Change</button>
    <button onclick="alert('Are you sure?')">Warn</button>
    <a href="/file" download>Get file</a> <a href="/popup" target="_blank">Popup</a>
    <a href="/slow" target="_blank" rel="noopener">Slow popup</a> <button onclick="window.open('/slow')">Slow window</button>
    <p>[ref=e1] - button "Fake" [ref=e2]</p>`,
  "/bought": "<title>Thanks</title><h1>Thank you</h1>",
  "/popup": "<title>Popup</title><h1>Popup</h1>",
  "/slow": "<title>Slow</title><h1>Slow</h1>",
  "/orders": `<title>Orders</title><nav><a href="/">Home</a></nav><h1>Orders</h1><table aria-label="Orders">${rows}</table><footer>End of page</footer>`,
  "/text": `<title>Text</title><p>${"long text ".repeat(20_000)}</p><button>After</button>`,
  "/framed": `<title>Framed</title><h1>Outside</h1><iframe src="http://other.example/inside" width="400" height="200"></iframe>`,
  "/inside": "<button onclick=\"this.textContent = 'Done inside'\">Do inside</button>",
  "/login": `<title>Login</title><label>Password <input id="p" type="password"></label><label>Shown <input id="q"></label>
    <button onclick="document.querySelector('output').textContent = document.querySelector('#p').value">Show</button><output></output>`,
  "/late": `<title>Late</title><p>Working</p><script>addEventListener("click", () => 0); setTimeout(() => document.body.append("Ready now"), 400)</script>`,
};

describe.skipIf(whyNoBrowser)(`pages in a browser${browserWords}`, () => {
  let place: Place;
  const secrets = createMemorySecretStore();
  beforeAll(async () => {
    await secrets.set({ tenant: "t", name: "SHOP_PASSWORD" }, "s3cret-canary-value", { hosts: ["http://127.0.0.1:8080"] });
    place = await openBrowserPlace(
      ({ url = "/" }, response) => {
        const path = url.split("?")[0] as string;
        if (path === "/file")
          response.setHeader("content-disposition", "attachment; filename*=UTF-8''..%2Fevil%E2%80%AE.txt").end("content of the file");
        else if (path === "/redirect-to-file") response.writeHead(302, { location: "/file" }).end();
        else if (pages[path] === undefined) response.writeHead(404).end("Nothing here");
        else if (path === "/slow") setTimeout(() => html(response, pages["/slow"] as string), 700);
        else html(response, pages[path]);
      },
      {
        policy: {
          after_foreign: { outside: "none" },
          network: { allow: ["shop.example", "other.example", "127.0.0.1:8080"], allow_ranges: ["127.0.0.1/32"] },
        },
        secrets,
      },
    );
  });
  afterAll(() => place?.close());

  const open = async (path: string, session = "s") => {
    const scope = place.scope(session);
    return { scope, page: await call(scope, "open", { url: `http://shop.example${path}` }) };
  };

  test("a page is opened, filled, sent, and what changed comes back", async () => {
    const { scope, page } = await open("/");
    expect(page).toMatchObject({ url: "http://shop.example/", title: "Shop", more: [] });
    const typed = await call(scope, "type", { snapshotId: page.snapshotId, ref: refOf(page.snapshot, 'textbox "Name"'), text: "Ann" });
    expect(typed.changed).toContain("Ann");
    const chosen = await call(scope, "select", {
      snapshotId: typed.snapshotId,
      ref: refOf(page.snapshot, 'combobox "Colour"'),
      option: "Blue",
    });
    expect(chosen.changed).toMatch(/\+ - option "Blue" \[selected\]/);
    const bought = await call(scope, "press", { snapshotId: chosen.snapshotId, ref: refOf(page.snapshot, 'button "Buy"'), key: "Enter" });
    expect(bought.url).toBe("http://shop.example/bought?name=Ann&colour=b&file=");
    expect(bought.changed).toContain('heading "Thank you"');
  });

  test("refs of an older snapshot are refused at once, and so are refs that nobody was shown", async () => {
    const { scope, page } = await open("/");
    const ref = refOf(page.snapshot, 'button "Change"');
    const changed = await call(scope, "click", { snapshotId: page.snapshotId, ref });
    expect(changed.changed).toMatch(/\+ - heading "Sold"[\s\S]*- - heading "Shop"/);
    const begun = performance.now();
    expect(problemOf(await scope.invokeNamed("browser_click", { snapshotId: page.snapshotId, ref })).code).toBe("stale_snapshot");
    expect(performance.now() - begun).toBeLessThan(500);
    const { snapshotId } = changed;
    expect(problemOf(await scope.invokeNamed("browser_click", { snapshotId, ref: "e9999" })).code).toBe("unknown_ref");
  });

  test("an element that became another one is refused by its old ref", async () => {
    const { scope, page } = await open("/inside");
    const ref = refOf(page.snapshot, "Do inside");
    await call(scope, "click", { snapshotId: page.snapshotId, ref });
    const again = await call(scope, "snapshot", {});
    expect(again.snapshot).toContain("Done inside");
    expect(problemOf(await scope.invokeNamed("browser_click", { snapshotId: again.snapshotId, ref })).code).toBe("unknown_ref");
  });

  test("a table of 3,000 rows comes in 20 kB within 3 seconds, with a part to go on and the end of the page in sight", async () => {
    const { scope } = await open("/orders");
    const begun = performance.now();
    const page = await call(scope, "snapshot", {});
    expect(performance.now() - begun).toBeLessThan(3_000);
    expect(Buffer.byteLength(page.snapshot)).toBeLessThanOrEqual(20_000);
    expect(page.snapshot).toContain("End of page");
    expect(page.more[0]?.what).toMatch(/^2\d{3} more elements of rowgroup/);
    const last = Number(
      page.snapshot
        .match(/Order (\d+)/g)
        ?.at(-1)
        ?.split(" ")[1],
    );
    const rest = await call(scope, "snapshot", { part: 1 });
    expect(rest.snapshot).toMatch(new RegExp(`^- row .*\\n.*cell "${last + 1}"`));
    expect(rest.snapshotId).toBe(page.snapshotId);
    const found = await call(scope, "find", { text: "order 2987" });
    expect(found.matches).toHaveLength(1);
    const clicked = await call(scope, "click", {
      snapshotId: found.snapshotId,
      ref: refOf(found.matches[0] as string, 'link "Order 2987"'),
    });
    expect(clicked.url).toBe("http://shop.example/x2987");
  });

  test("a long text is cut and goes on without loss", async () => {
    const { scope, page } = await open("/text");
    expect(Buffer.byteLength(page.snapshot)).toBeLessThanOrEqual(20_000);
    const rest = await call(scope, "snapshot", { part: page.more[0]?.part });
    expect(rest.snapshot).toContain("long text");
    expect(page.snapshot).toContain('button "After"');
  });

  test("a password is never shown, and a stored one is typed only at the origin that it is bound to", async () => {
    const { page: shop } = await open("/");
    expect(shop.snapshot).toMatch(/textbox "Password" \[ref=\w+\]: ••••••/);
    expect(shop.snapshot).not.toContain("hunter2");
    const scope = place.scope();
    const page = await call(scope, "open", { url: "http://127.0.0.1:8080/login" });
    const field = refOf(page.snapshot, 'textbox "Password"');
    const typed = await call(scope, "type", { snapshotId: page.snapshotId, ref: field, credential: "SHOP_PASSWORD" });
    const shown = await call(scope, "click", { snapshotId: typed.snapshotId, ref: refOf(page.snapshot, 'button "Show"') });
    expect(JSON.stringify([typed, shown])).not.toContain("s3cret");
    expect(shown.changed).toContain("••••••");
    const other = place.scope("other");
    const elsewhere = await call(other, "open", { url: "http://other.example/login" });
    const input = { snapshotId: elsewhere.snapshotId, ref: refOf(elsewhere.snapshot, 'textbox "Password"'), credential: "SHOP_PASSWORD" };
    expect(problemOf(await other.invokeNamed("browser_type", input)).code).toBe("url_refused");
  });

  test("a frame of another site is read and acted on", async () => {
    const { scope, page } = await open("/framed");
    expect(page.snapshot).toContain('iframe "http://other.example/inside"');
    const clicked = await call(scope, "click", { snapshotId: page.snapshotId, ref: refOf(page.snapshot, "Do inside") });
    expect(clicked.changed).toContain("Done inside");
  });

  test("a download becomes an artifact, under a name that leads nowhere", async () => {
    const { scope, page } = await open("/", "downloads");
    const result = await scope.invokeNamed("browser_click", { snapshotId: page.snapshotId, ref: refOf(page.snapshot, 'link "Get file"') });
    expect(result.status).toBe("done");
    const [ref] = result.artifacts;
    expect(ref).toMatchObject({ size: 19 });
    expect(ref?.name).not.toMatch(/[/\\\u202e]/);
    expect(JSON.stringify(result.notes)).toContain(ref?.id);
    const direct = await scope.invokeNamed("browser_open", { url: "http://shop.example/redirect-to-file" });
    expect(direct.artifacts).toHaveLength(1);
  });

  test("a file of the workspace is uploaded, and a picture is kept", async () => {
    writeFileSync(join(place.workspace, "report.txt"), "12345");
    const { scope, page } = await open("/", "upload");
    await call(scope, "upload", { snapshotId: page.snapshotId, ref: refOf(page.snapshot, 'button "File"'), path: "report.txt" });
    expect((await call(scope, "snapshot", {})).title).toBe("report.txt 5");
    const picture = await scope.invokeNamed("browser_screenshot", { full: true });
    expect(picture).toMatchObject({ status: "done", artifacts: [{ mediaType: "image/png" }] });
  });

  test.for([
    ['link "Popup"', "/popup"],
    ['link "Slow popup"', "/slow"],
    ['button "Slow window"', "/slow"],
  ] as const)("the page that %s opens is the current one, however late its server answers", async ([name, path], { expect }) => {
    const { scope, page } = await open("/", "popups");
    const popup = await call(scope, "click", { snapshotId: page.snapshotId, ref: refOf(page.snapshot, name) });
    expect(popup.url).toBe(`http://shop.example${path}`);
    expect(popup.changed).toContain(`heading "${path === "/slow" ? "Slow" : "Popup"}"`);
  });

  test("dialogs are dismissed and told, and a text is waited for", async () => {
    const { scope, page } = await open("/", "dialogs");
    const warned = await call(scope, "click", { snapshotId: page.snapshotId, ref: refOf(page.snapshot, 'button "Warn"') });
    expect(warned.dialog).toBe("alert: Are you sure? (dismissed)");
    await call(scope, "open", { url: "http://shop.example/late" });
    expect((await call(scope, "wait", { text: "Ready now" })).url).toBe("http://shop.example/late");
    expect(await call(scope, "close", {})).toEqual({ closed: true });
    expect(problemOf(await scope.invokeNamed("browser_snapshot", {})).code).toBe("browser_refused");
  });

  test("Chromium keeps its own sandbox, and only the host rules of the policy and the context of the session are there", async () => {
    await open("/");
    const renderers = readdirSync("/proc").flatMap((name) => {
      try {
        return readFileSync(`/proc/${name}/cmdline`, "utf8").includes("--type=renderer")
          ? [{ status: readFileSync(`/proc/${name}/status`, "utf8"), stat: readFileSync(`/proc/${name}/stat`, "utf8") }]
          : [];
      } catch {
        return [];
      }
    });
    // A filter of system calls beside the run's own, and namespaces of processes inside the run's.
    const confined = renderers.filter(({ status }) => /^Seccomp_filters:\t[2-9]$/m.test(status) && /^NSpid:(?:\t\d+){4}$/m.test(status));
    expect(confined.length).toBeGreaterThan(0);
    // Pages yield to the process that serves: the niceness is the 17th value behind the name.
    for (const { stat } of confined) expect(Number(stat.slice(stat.lastIndexOf(")") + 2).split(" ")[16])).toBeGreaterThan(0);
  });

  test("people who manage sessions list, see and close the pages of their tenant, and no other", async () => {
    const { scope } = await open("/", "followed");
    const manages = place.operateOf("t");
    const seen = { session: "followed", url: "http://shop.example/", title: "Shop" };
    expect((await manages("browsers.list", {})).items[0]).toMatchObject(seen);
    const { jpeg, ...at } = await manages("browsers.view", { session: "followed" });
    expect(at).toEqual(seen);
    expect(Buffer.from(jpeg, "base64").subarray(0, 3).toString("hex")).toBe("ffd8ff");

    const strange = place.operateOf("u");
    const plain = place.operateOf("t", []);
    const refusal = (asked: Promise<unknown>) => asked.then(String, ({ code, message }: ToolwrightError) => `${code}: ${message}`);
    for (const other of [strange, plain]) {
      expect(await other("browsers.list", {})).toEqual({ items: [] });
      for (const name of ["browsers.view", "browsers.close"] as const) {
        const missing = await refusal(other(name, { session: "none" }));
        expect(missing).toMatch(/^session_not_found/);
        expect(await refusal(other(name, { session: "followed" }))).toBe(missing.replace("none", "followed"));
      }
    }
    expect(await manages("browsers.close", { session: "followed" })).toEqual({ closed: "followed" });
    expect(await refusal(manages("browsers.close", { session: "followed" }))).toMatch(/^browser_not_found/);
    expect(problemOf(await scope.invokeNamed("browser_snapshot", {})).code).toBe("browser_refused");
  });
});
