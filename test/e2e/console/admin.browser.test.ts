import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { browserWords, whyNoBrowser } from "../browser.ts";
import type { Place } from "../run-cli.ts";
import { Console, faultsEverywhere } from "./console.ts";

const policyFile = "# Reviewed by two\nversion: 1\nautonomy: supervised\n";

describe.skipIf(whyNoBrowser)(`the console's admin and policy${browserWords}`, () => {
  let console: Console;
  beforeAll(async () => {
    const prepare = async (place: Place) => {
      const folder = place.path("home", ".config", "toolwright");
      await mkdir(folder, { recursive: true });
      await writeFile(join(folder, "policy.yaml"), policyFile);
    };
    console = await Console.start({ prepare });
  });
  afterEach(async () => expect(await console.browsers.closeAll()).toEqual([]));
  afterAll(() => console?.stop());

  test("a secret goes in, is replaced and removed, and its value is on no page and in no answer", async () => {
    const page = await console.open("/admin/secrets");
    const bodies: Promise<string>[] = [];
    page.on("response", (response) => {
      // The stream of changes never ends, and names what changed without a value.
      if (!response.url().endsWith("/api/changes")) bodies.push(response.text().catch(() => ""));
    });
    await page.getByRole("button", { name: "Set a secret" }).click();
    await page.getByRole("textbox", { name: "Name" }).fill("crm_key");
    await page.getByLabel("Value").first().fill("sesame-7f3a");
    expect(await faultsEverywhere(page)).toEqual([]);
    // In the middle of the page, and not of what is beside the sidebar.
    const { x, width } = (await page.getByRole("dialog").boundingBox()) ?? { x: 0, width: 0 };
    expect(x + width / 2).toBeCloseTo(640, 0);
    await page.getByRole("button", { name: "Set secret" }).click();
    await page
      .getByRole("row", { name: /crm_key/ })
      .getByRole("cell", { name: "never" })
      .waitFor();
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

  test("a role that cannot be is refused beside the field that is wrong, which has the focus, and what was typed stays", async () => {
    const page = await console.open("/admin/roles");
    await page.getByRole("button", { name: "Create a role" }).click();
    await page.getByRole("textbox", { name: "Name" }).fill("auditor");
    await page.getByRole("textbox", { name: "Permissions" }).fill("all of it");
    await page.getByRole("button", { name: "Create role" }).click();
    const permissions = page.getByRole("textbox", { name: "Permissions" });
    await page.locator('[aria-invalid="true"]:focus').waitFor();
    const described = "document.activeElement.getAttribute('aria-describedby').trim().split(/ +/)";
    expect(await page.evaluate(`${described}.map((id) => document.getElementById(id)?.textContent).join(" ")`)).toContain(
      '"all of it" is not a permission.',
    );
    expect(await permissions.inputValue()).toBe("all of it");
    expect(await faultsEverywhere(page)).toEqual([]);
    await permissions.fill("log:read");
    await page.getByRole("button", { name: "Create role" }).click();
    await page.getByRole("cell", { name: "auditor", exact: true }).waitFor();
    await page.getByRole("dialog").waitFor({ state: "detached" });
    expect(await page.evaluate("document.activeElement.textContent")).toBe("Create a role");
    expect(await faultsEverywhere(page)).toEqual([]);
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

  test("an agent is described, and a tool of it is switched off and taken back", async () => {
    const page = await console.open("/admin/agents");
    await page.getByRole("button", { name: "Create an agent" }).click();
    await page.getByRole("textbox", { name: "Id" }).fill("scribe");
    await page.getByRole("textbox", { name: "Instructions" }).fill("Be short.\n\nName your sources.");
    await page.getByRole("textbox", { name: "Model" }).fill("openai/gpt-5");
    await page.getByRole("button", { name: "Create agent" }).click();
    await page.getByRole("cell", { name: "openai/gpt-5" }).waitFor();
    await page.getByRole("button", { name: "Change scribe" }).click();
    expect(await page.getByRole("textbox", { name: "Instructions" }).inputValue()).toBe("Be short.\n\nName your sources.");
    await page.getByRole("textbox", { name: "Model" }).fill("");
    await page.getByText("Limits (10)").click();
    await page.getByRole("spinbutton", { name: "Requests to the model" }).fill("4");
    await page.getByRole("spinbutton", { name: "Window" }).fill("10");
    await page.getByRole("textbox", { name: "Features that are off" }).fill("memory");
    await page.getByRole("checkbox", { name: "Other agents may call it" }).check();
    expect(await page.getByRole("spinbutton", { name: "Tokens of a turn" }).getAttribute("placeholder")).toBe("200,000");
    await page.getByRole("button", { name: "Change agent" }).click();
    // Refused beside its field, which has the focus then, and all that was typed is there.
    await expect.poll(() => page.evaluate("document.activeElement.labels?.[0].textContent")).toMatch(/^Window/);
    expect(await faultsEverywhere(page)).toEqual([]);
    await page.keyboard.press("Control+A");
    await page.keyboard.type("64000");
    await page.getByRole("spinbutton", { name: "Cost a day" }).fill("2.5");
    await page.getByRole("button", { name: "Change agent" }).click();
    await page.getByRole("cell", { name: "the usual one" }).waitFor();
    const scribe = { limits: { steps: 4, window: 64_000, costADay: 2.5 }, features: { memory: false }, acceptsAgents: true };
    expect(await console.api("/agents")).toMatchObject({ items: expect.arrayContaining([expect.objectContaining(scribe)]) });
    await page.goto(`${console.origin}/admin/agents?tab=tools&agent=scribe`);
    const exec = page.getByRole("switch", { name: "exec for scribe" });
    expect(await exec.isChecked()).toBe(true);
    await exec.click();
    await page.getByRole("button", { name: "Take back what is said of exec" }).click();
    await page.getByRole("button", { name: "Take back what is said of exec" }).waitFor({ state: "detached" });
    await expect.poll(() => exec.isChecked()).toBe(true);
    expect(await faultsEverywhere(page)).toEqual([]);
    await page.goto(`${console.origin}/admin/agents`);
    await page.getByRole("button", { name: "Remove scribe" }).click();
    await page.getByText("What it did stays in the log.").waitFor();
    expect(await faultsEverywhere(page)).toEqual([]);
    expect(await console.browsers.closeAll()).toEqual([expect.stringMatching(/status of 422/)]);
  });

  test("a skill is created, changed, given to an agent and removed", async () => {
    const page = await console.open("/admin/skills");
    const button = (name: string) => page.getByRole("button", { name, exact: true });
    await console.api("/agents", { agent: "helper" });
    await button("Create a skill").click();
    await page.getByRole("textbox", { name: "Id" }).fill("notes");
    await page.getByRole("textbox", { name: "Tools" }).fill("file_read\nfile_write");
    await button("Create skill").click();
    await page.getByRole("cell", { name: "file_read, file_write" }).waitFor();
    await button("Change notes").click();
    await page.getByRole("textbox", { name: "Tools" }).fill("file_read");
    await button("Change skill").click();
    await page.getByRole("cell", { name: "file_read", exact: true }).waitFor();
    await button("Give notes").click();
    await page.getByRole("textbox", { name: "Agent" }).fill("helper");
    await button("Give skill").click();
    await page.getByRole("cell", { name: "helper" }).waitFor();
    expect(await faultsEverywhere(page)).toEqual([]);
    await button("Remove notes").click();
    await page.getByRole("dialog").getByRole("button", { name: "Remove notes" }).click();
    await page.getByRole("heading", { name: "No skills" }).waitFor();
  });

  test("a person is invited by a link that is shown once, and the invitation ends", async () => {
    const page = await console.open("/admin/people");
    await page.getByRole("button", { name: "Invite a person" }).click();
    await page.getByRole("textbox", { name: "E-mail" }).fill("bob@example.org");
    await page.getByRole("combobox", { name: "Role" }).click();
    await page.getByRole("option", { name: "viewer" }).click();
    await page.getByRole("button", { name: "Invite", exact: true }).click();
    const shown = page.getByRole("dialog", { name: "The link of the invitation" });
    expect(await shown.locator("pre").textContent()).toContain(`${console.origin}/auth/accept?token=`);
    await shown.getByRole("button", { name: "Close" }).click();
    await page.getByRole("cell", { name: "bob@example.org", exact: true }).waitFor();
    expect(await faultsEverywhere(page)).toEqual([]);
    await page.getByRole("button", { name: "Remove bob@example.org" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Remove bob@example.org" }).click();
    await page.getByRole("heading", { name: "No invitations" }).waitFor();
  });

  test("a tenant is created, suspended and resumed", async () => {
    const page = await console.open("/admin/tenants");
    await page.getByRole("button", { name: "Create a tenant" }).click();
    await page.getByRole("textbox", { name: "Id" }).fill("globex");
    await page.getByRole("button", { name: "Create tenant" }).click();
    for (const [act, state] of [
      ["Suspend globex", "suspended"],
      ["Resume globex", "open"],
    ] as const) {
      await page.getByRole("button", { name: act }).click();
      await page.getByRole("dialog").getByRole("button", { name: act }).click();
      await page
        .getByRole("row", { name: /globex/ })
        .getByRole("cell", { name: state })
        .waitFor();
    }
    expect(await faultsEverywhere(page)).toEqual([]);
  });

  test("a grant says what it lets through and how often, and is revoked", async () => {
    const allows = [{ kind: "path", access: "write", prefix: "notes/" }];
    await console.api("/grants", { tool: "file_write", allows, scope: "tenant", maxUses: 3 });
    const page = await console.open("/admin/grants");
    const row = page.getByRole("row", { name: /file_write/ });
    for (const words of ["write notes/", "0 of 3", "the tenant"]) await row.getByText(words).waitFor();
    expect(await faultsEverywhere(page)).toEqual([]);
    await page.getByRole("button", { name: "Revoke the grant for file_write" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Revoke grant" }).click();
    await row.getByRole("button").waitFor({ state: "detached" });
  });

  test("a job is looked at and cancelled, what was skipped for it is a dead letter that says why it waits, and is deleted", async () => {
    const later = { tool: "file_list", runAt: Date.now() + 3_600_000 };
    const first = (await console.api("/jobs", { ...later, input: { path: "first" } })) as { readonly id: string };
    const second = (await console.api("/jobs", { ...later, input: {}, dependsOn: [first.id] })) as { readonly id: string };
    const page = await console.open("/admin/jobs");
    const act = async (name: string, confirm: string, { id }: { readonly id: string }) => {
      await page.getByRole("button", { name: `${name} ${id}` }).click();
      await page.getByRole("dialog").getByRole("button", { name: confirm }).click();
      await page.getByRole("dialog").waitFor({ state: "detached" });
    };
    await page.getByRole("button", { name: `Show ${first.id}` }).click();
    await page
      .getByRole("region", { name: `Job ${first.id}` })
      .getByText('"path": "first"')
      .waitFor();
    expect(await faultsEverywhere(page)).toEqual([]);
    await page.reload();
    await page
      .getByRole("region", { name: `Job ${first.id}` })
      .getByRole("button", { name: "Close" })
      .click();
    await act("Cancel", "Cancel job", first);
    await page.getByRole("checkbox", { name: "Only dead letters" }).check();
    await page.getByRole("row", { name: /skipped/ }).waitFor();
    await page.getByRole("button", { name: `Retry ${second.id}` }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Retry job" }).click();
    await page
      .getByRole("dialog")
      .getByText(/ended as cancelled/)
      .waitFor();
    await page.getByRole("dialog").getByRole("button", { name: "Close" }).click();
    await act("Delete", "Delete job", second);
    await page.getByRole("heading", { name: "No dead letters" }).waitFor();
    // Chromium tells every refusal.
    expect(await console.browsers.closeAll()).toEqual([expect.stringMatching(/status of 409/)]);
  });

  test("health says of every check how it stands and what to do", async () => {
    const page = await console.open("/admin/health");
    await page.getByRole("region", { name: "Checks of the machine" }).waitFor();
    expect(await faultsEverywhere(page)).toEqual([]);
  });

  const editor = (page: Page) => page.getByRole("textbox", { name: "Policy of default, as YAML" });
  const type = async (page: Page, text: string) => {
    await editor(page).click();
    await page.keyboard.press("ControlOrMeta+a");
    await page.keyboard.insertText(text);
  };
  const apply = async (page: Page, note: string) => {
    await page.getByRole("button", { name: "Review and apply" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByRole("textbox", { name: "Why" }).fill(note);
    await dialog.getByRole("button", { name: "Put in force" }).click();
    await dialog.waitFor({ state: "detached" });
  };

  test("a policy is written, corrected, tried on calls that were made, put in force and reverted", async () => {
    await console.api("/tools/exec/call", { command: "ls" });
    const page = await console.open("/policy");
    await type(page, "tools:\n  deny: [exec\n");
    await page.getByText(/^Error, line 3, column 1/).waitFor();
    await type(page, "tool:\n  deny: [exec]\n");
    await page.getByText('Error, line 1, column 1: tool is not a member (did you mean "tools"?)').waitFor();
    expect(await faultsEverywhere(page)).toEqual([]);
    expect(await page.getByRole("button", { name: "Review and apply" }).isDisabled()).toBe(true);
    const rule = "commands:\n  rules:\n    - pattern: git push *\n      effect: deny\n      match: [git push]\n";
    await type(page, `tools:\n  deny: [exec]\n${rule}      not_match: [git push origin]\n`);
    await page.getByText("fails: does not match git push origin").waitFor();
    await type(page, `tools:\n  deny: [exec]\n${rule}      not_match: [git status]\n`);
    await page.getByText("1 rule with 2 tests, all pass").waitFor();
    // A reload loses nothing.
    await page.reload();
    await page.getByRole("button", { name: "Simulate" }).click();
    await page.getByText("1 of 1 call would go differently: 1 from runs to blocked.").waitFor();
    await page.getByRole("cell", { name: "tenant.tools.deny[0]" }).waitFor();
    expect(await page.getByRole("link", { name: "exec" }).getAttribute("href")).toMatch(/^\/calls\/call_/);
    await page.getByRole("button", { name: "Review and apply" }).click();
    await page.getByRole("dialog").getByText("1 of 1 call would go differently").waitFor();
    await page.getByRole("dialog").getByText("- exec").waitFor();
    expect(await faultsEverywhere(page)).toEqual([]);
    await page.keyboard.press("Escape");
    await apply(page, "No commands");
    await page.getByText(/^Revision 1 of default is in force, by .*: No commands\./).waitFor();
    expect(await console.api("/tools/exec/call", { command: "ls" })).toMatchObject({ code: "call_denied" });
    await page.getByRole("button", { name: "History" }).click();
    await page.getByText("Revision 1, ").click();
    await page.getByRole("group", { name: "What revision 1 changed" }).getByText("- exec").waitFor();
    expect(await faultsEverywhere(page)).toEqual([]);
    await page.getByRole("button", { name: "Revert to revision 0" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Revert", exact: true }).click();
    await page.getByRole("dialog").waitFor({ state: "detached" });
    await page.getByText(/^Revision 2/).waitFor();
    await expect
      .poll(async () => await console.api("/tools/exec/call", { command: "ls" }), { timeout: 10_000 })
      .toMatchObject({ status: "done" });
    // Chromium tells every refusal.
    const said = await console.browsers.closeAll();
    expect(said.filter((trouble) => !trouble.includes("422"))).toEqual([]);
  });

  test("members and names are completed by keyboard, Tab leaves the editor, and a conflict loses nothing", async () => {
    const page = await console.open("/policy");
    const { keyboard } = page;
    const completion = (name: string) => page.getByRole("listbox", { name: "Completions" }).getByRole("option", { name }).first();
    await editor(page).focus();
    for (const [typed, offered] of [
      ["to", "tools"],
      ["de", "deny"],
      ["exe", "exec"],
    ] as const) {
      await keyboard.type(typed);
      await completion(offered).waitFor();
      if (typed === "to") expect(await faultsEverywhere(page)).toEqual([]);
      // A list takes no key for 75 ms after it appeared: one might be meant for the text.
      const now = async () => Number(await page.evaluate("performance.now()"));
      await expect.poll(now).toBeGreaterThan((await now()) + 100);
      await keyboard.press("Enter");
      await completion(offered).waitFor({ state: "detached" });
    }
    expect(await editor(page).locator(".cm-line").allTextContents()).toEqual(["tools:", "  deny:", "    - exec"]);
    await keyboard.press("Tab");
    expect(await page.evaluate("document.activeElement.closest('.cm-editor') === null")).toBe(true);
    await page.getByRole("button", { name: "Review and apply" }).click();
    const { revision } = (await console.api("/policy")) as { readonly revision: number };
    await page.getByRole("dialog").getByRole("textbox", { name: "Why" }).fill("No commands");
    await console.api("/policy/revert", { revision: 0, read: revision, note: "Back again" });
    // What is behind the dialog knows of it already; the text is still one of the revision before.
    await page.getByText(`put revision ${revision + 1} in force (Back again), and you began with revision ${revision}.`).waitFor();
    await page.getByRole("dialog").getByRole("button", { name: "Put in force" }).click();
    await page.getByRole("dialog").waitFor({ state: "detached" });
    expect(await console.api("/policy")).toMatchObject({ revision: revision + 1 });
    await page.getByRole("group", { name: `Your text against revision ${revision + 1}` }).waitFor();
    expect(await faultsEverywhere(page)).toEqual([]);
    await page.getByRole("button", { name: `Keep my text, in place of revision ${revision + 1}` }).click();
    await apply(page, "No commands after all");
    await page.getByText(`Revision ${revision + 2} of default is in force`).waitFor();
    await console.api("/policy/revert", { revision: 0, read: revision + 2, note: "As before" });
    const said = await console.browsers.closeAll();
    expect(said.filter((trouble) => !/40[49]|422/.test(trouble))).toEqual([]);
  });

  test("what files say is shown with path and lines, to be read, and who may not manage the policy is told why", async () => {
    const page = await console.open("/policy?tab=files");
    await page.getByRole("heading", { name: console.place.path("home", ".config", "toolwright", "policy.yaml") }).waitFor();
    expect(await page.getByRole("listitem").filter({ hasText: "autonomy: supervised" }).count()).toBe(1);
    expect(await page.getByRole("textbox").count()).toBe(0);
    expect(await faultsEverywhere(page)).toEqual([]);
    const { key } = (await console.api("/keys", { name: "reader", permissions: ["files.tenant.read"] })) as { readonly key: string };
    await page.evaluate(`sessionStorage.setItem("toolwright.key", ${JSON.stringify(key)})`);
    await page.goto(`${console.origin}/policy`);
    await page.getByRole("heading", { name: "The policy of default is not yours to read or change" }).waitFor();
    expect(await faultsEverywhere(page)).toEqual([]);
    await page.getByRole("button", { name: "From files" }).click();
    await page.getByRole("heading", { name: "The platform's policy is of whoever runs the server" }).waitFor();
  });
});
