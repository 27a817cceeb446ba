import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { type Claims, type OidcServerHere, startOidcServer } from "../../packages/cli/test/oidc-server.ts";
import { Browsers, browserWords, shows, whyNoBrowser } from "./browser.ts";
import { askForAccess, OtherSite, PeopleServer } from "./people.ts";

const ann: Claims = { sub: "1", email: "ann@example.org", email_verified: true, name: "Ann" };

describe.skipIf(whyNoBrowser)(`signing in by another site with a browser${browserWords}`, () => {
  let server: PeopleServer;
  let provider: OidcServerHere;
  let browsers: Browsers;
  let program: OtherSite;
  beforeAll(async () => {
    provider = await startOidcServer(ann, "localhost");
    server = await PeopleServer.start({
      TOOLWRIGHT_OIDC_ISSUER: provider.issuer,
      TOOLWRIGHT_OIDC_CLIENT_ID: provider.clientId,
      TOOLWRIGHT_OIDC_CLIENT_SECRET: provider.clientSecret,
      TOOLWRIGHT_OIDC_NAME: "Example Id",
    });
    browsers = await Browsers.launch();
    program = await OtherSite.start();
    await server.run("users", "invite", ann.email);
  });
  afterEach(async () => expect(await browsers.closeAll()).toEqual([]));
  afterAll(() => Promise.all([browsers?.close(), program?.stop(), server?.stop(), provider?.stop()]));

  const open = async (url: string) => {
    const page = await browsers.open([server.origin, provider.issuer, program.origin]);
    await page.goto(url);
    return { page, press: (name: string) => page.getByRole("button", { name }).click() };
  };

  test("leads there and back to the account", async () => {
    provider.claims = ann;
    const { page, press } = await open(`${server.origin}/auth/sign-in`);
    await press("Sign in with Example Id");
    await shows(page, "Your account");
    await page.getByText("You are Ann (ann@example.org).").waitFor();
  });

  test("goes on with the question of a program", async () => {
    provider.claims = ann;
    const { question, exchange } = await askForAccess(server.origin, `${program.origin}/callback`);
    const { page, press } = await open(question.href);
    await press("Sign in with Example Id");
    await shows(page, "Allow access?");
    await press("Allow");
    await shows(page, "Elsewhere");
    const answer = program.opened[0]?.searchParams as URLSearchParams;
    expect(await exchange(answer)).toMatchObject({ access_token: expect.stringMatching(/^twa_/) });
  });

  test("tells whom nobody invited why they are not in", async () => {
    provider.claims = { ...ann, sub: "2", email: "stranger@example.org" };
    const { page, press } = await open(`${server.origin}/auth/sign-in`);
    await press("Sign in with Example Id");
    await shows(page, "Not signed in");
    await page.goto(`${server.origin}/auth/account`);
    await shows(page, "Sign in");
  });
});
