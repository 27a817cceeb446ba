import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, test } from "vitest";
import { Place, waitForText } from "../run-cli.ts";

const script = fileURLToPath(new URL("../../../scripts/dev.ts", import.meta.url));

let place: Place;
let origin: string;
beforeAll(async () => {
  place = await Place.make();
  const child = place.startNode(["--conditions=@toolwright/source", script, "--port", "0"]);
  const banner = await waitForText(child, /Stop it with Ctrl\+C/);
  origin = new URL(/MCP +(\S+)/.exec(banner)?.[1] ?? "").origin;
});
afterAll(() => place?.remove());

test("pages come from their sources, with the policy of every page and a nonce for what reloads modules", async () => {
  const page = await fetch(`${origin}/tools`, { headers: { accept: "text/html" } });
  const policy = page.headers.get("content-security-policy") ?? "";
  const [, nonce] = /script-src 'self' 'nonce-([^']+)'/.exec(policy) ?? [];
  expect(policy).toContain(`style-src 'self' 'nonce-${nonce}'`);
  expect(policy).toContain("require-trusted-types-for 'script'");
  const text = await page.text();
  expect(text).toContain('src="/src/main.tsx"');
  expect([...text.matchAll(/<script(?![^>]*\bsrc=)[^>]*>/g)].map(([tag]) => tag.includes(`nonce="${nonce}"`))).not.toContain(false);
  const module = await fetch(`${origin}/src/main.tsx`);
  expect(module.headers.get("content-type")).toContain("javascript");
  expect(await module.text()).toContain("createRoot");
});

test("everything else is the server's, and no file beside the sources is served", async () => {
  expect(await (await fetch(`${origin}/api/me`)).json()).toMatchObject({ tenant: "default" });
  for (const path of ["/etc/passwd", fileURLToPath(new URL("../../../package.json", import.meta.url))])
    expect((await fetch(`${origin}/@fs${path}`)).status).toBe(403);
});
