import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { browserWords, whyNoBrowser } from "../browser.ts";
import { Console, faultsEverywhere } from "./console.ts";

describe.skipIf(whyNoBrowser)(`the console's admin${browserWords}`, () => {
  let console: Console;
  beforeAll(async () => {
    console = await Console.start();
  });
  afterEach(async () => expect(await console.browsers.closeAll()).toEqual([]));
  afterAll(() => console?.stop());

  test("a secret goes in, is replaced and removed, and its value is on no page and in no answer", async () => {
    const page = await console.open("/admin/secrets");
    const bodies: Promise<string>[] = [];
    page.on("response", (response) => bodies.push(response.text().catch(() => "")));
    await page.getByRole("button", { name: "Set a secret" }).click();
    await page.getByRole("textbox", { name: "Name" }).fill("crm_key");
    await page.getByLabel("Value").first().fill("sesame-7f3a");
    expect(await faultsEverywhere(page)).toEqual([]);
    await page.getByRole("button", { name: "Set secret" }).click();
    await page.getByRole("button", { name: "Replace crm_key" }).click();
    await page.getByLabel("Value").first().fill("sesame-91bc");
    await page.getByRole("button", { name: "Replace value" }).click();
    await page.getByRole("dialog").waitFor({ state: "detached" });
    expect(await faultsEverywhere(page)).toEqual([]);
    expect(await page.content()).not.toContain("sesame-");
    await page.getByRole("button", { name: "Remove crm_key" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Remove crm_key" }).click();
    await page.getByRole("heading", { name: "No secrets" }).waitFor();
    expect((await Promise.all(bodies)).join("\n")).not.toContain("sesame-");
  });

  test("a role that cannot be is refused in words, and what was typed stays", async () => {
    const page = await console.open("/admin/roles");
    await page.getByRole("button", { name: "Create a role" }).click();
    await page.getByRole("textbox", { name: "Name" }).fill("auditor");
    await page.getByRole("textbox", { name: "Permissions" }).fill("all of it");
    await page.getByRole("button", { name: "Create role" }).click();
    await page.getByText('"all of it" is not a permission.').waitFor();
    await page.getByRole("textbox", { name: "Permissions" }).fill("log:read");
    await page.getByRole("button", { name: "Create role" }).click();
    await page.getByRole("cell", { name: "auditor", exact: true }).waitFor();
    // Chromium tells every refusal.
    expect(await console.browsers.closeAll()).toEqual([expect.stringMatching(/status of 422/)]);
  });

  test("a key is shown once and is on no page after; a revoked one says so", async () => {
    const page = await console.open("/admin/keys");
    await page.getByRole("button", { name: "Create a key" }).click();
    await page.getByRole("textbox", { name: "Name" }).fill("nightly");
    await page.getByRole("textbox", { name: "Permissions" }).fill("files.tenant.read");
    await page.getByRole("button", { name: "Create key" }).click();
    const shown = page.getByRole("dialog", { name: "The new key" });
    const key = (await shown.locator("pre").textContent()) ?? "";
    expect(key).toMatch(/^\S{20,}$/);
    expect(await faultsEverywhere(page)).toEqual([]);
    await shown.getByRole("button", { name: "Close" }).click();
    await page.reload();
    await page.getByRole("button", { name: "Revoke nightly" }).click();
    expect(await page.content()).not.toContain(key);
    await page.getByRole("dialog").getByRole("button", { name: "Revoke nightly" }).click();
    await page.getByRole("cell", { name: "revoked" }).waitFor();
  });

  test("an agent's tool is switched off, and what was said is taken back", async () => {
    const page = await console.open("/admin/agents");
    await page.getByRole("button", { name: "Create an agent" }).click();
    await page.getByRole("textbox", { name: "Id" }).fill("scribe");
    await page.getByRole("button", { name: "Create agent" }).click();
    await page.getByRole("button", { name: "Remove scribe" }).waitFor();
    await page.goto(`${console.origin}/admin/agents?tab=tools&agent=scribe`);
    const exec = page.getByRole("switch", { name: "exec for scribe" });
    expect(await exec.isChecked()).toBe(true);
    await exec.click();
    await page.getByRole("button", { name: "Take back what is said of exec" }).click();
    await page.getByRole("button", { name: "Take back what is said of exec" }).waitFor({ state: "detached" });
    expect(await exec.isChecked()).toBe(true);
    expect(await faultsEverywhere(page)).toEqual([]);
  });

  test.each(["agents", "skills", "people", "roles", "keys", "tenants", "grants", "jobs", "health"])(
    "%s has no fault that axe finds",
    async (part) => {
      const page = await console.open(`/admin/${part}`);
      await page.waitForLoadState("networkidle");
      expect(await faultsEverywhere(page)).toEqual([]);
    },
  );
});
