import { randomBytes } from "node:crypto";
import type { IdentityAdmin } from "@toolwright/engine/ports";
import { createAccounts, createIdentity, systemHandle } from "@toolwright/postgres";
import { openTestDatabase, type TestDatabase, testDatabaseKinds } from "@toolwright/postgres/testing";
import { createSignIn, type SignIn } from "@toolwright/sign-in";
import { sql } from "kysely";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

const origin = "https://tools.example.org";
const password = "correct horse battery";
const email = "ann@example.org";

describe.each(testDatabaseKinds)("sessions, %s", (kind) => {
  let test: TestDatabase;
  let identity: IdentityAdmin;
  let signIn: SignIn;
  beforeAll(async () => {
    test = await openTestDatabase(kind);
    identity = createIdentity(test.database);
    const secret = randomBytes(32).toString("hex");
    signIn = await createSignIn(
      { handle: systemHandle(test.database), identity, accounts: createAccounts(test.database) },
      { origin, resource: `${origin}/mcp`, secret, addressHeader: "x-address", log: () => {} },
    );
    for (const tenant of ["acme", "other"]) {
      const { token } = await identity.inviteMember(tenant, { email, role: "member", by: "test" });
      const made = await signIn.makeAccount({ token, name: "Ann", password });
      if ("refused" in made) await identity.acceptInvitations({ user: (await identity.listMembers("acme"))[0]?.user ?? "", email }, token);
    }
  });
  afterAll(() => test.cleanup());

  const request = (cookie?: string) => new Request(`${origin}/auth/sign-in`, { headers: { ...(cookie !== undefined && { cookie }) } });
  const enter = async () => {
    const { status, cookies } = await signIn.withPassword(request(), { email, password });
    expect(status).toBe(200);
    return cookies;
  };

  it("has cookies that only this origin gets, over https alone (R-UI-3)", async () => {
    const cookies = await enter();
    expect(cookies.length).toBeGreaterThan(0);
    for (const cookie of cookies) {
      expect(cookie).toMatch(/^__Host-toolwright\./);
      expect(cookie).toMatch(/; Path=\/(;|$)/i);
      expect(cookie).toMatch(/; Secure/i);
      expect(cookie).toMatch(/; HttpOnly/i);
      expect(cookie).toMatch(/; SameSite=Lax/i);
      expect(cookie).not.toMatch(/; Domain/i);
    }
  });

  it("knows the person of a session, in the tenant that they chose among theirs", async () => {
    const cookie = (await enter()).map((each) => each.split(";")[0]).join("; ");
    const person = await signIn.personOf(request(cookie));
    expect(person).toMatchObject({ email, name: "Ann", tenant: "acme" });
    if (!person) return;
    expect(await signIn.chooseTenant(person, "default")).toBe(false);
    expect(await signIn.chooseTenant(person, "nowhere")).toBe(false);
    expect(await signIn.chooseTenant(person, "other")).toBe(true);
    expect(await signIn.personOf(request(cookie))).toMatchObject({ tenant: "other" });
    expect(await signIn.personOf(request(`${cookie.slice(0, -3)}abc`))).toBeUndefined();
    expect(await signIn.personOf(request())).toBeUndefined();
  });

  it("keeps no password, and none of the answers shows one", async () => {
    const { rows } = await sql<{ row: string }>`select a::text as row from toolwright.auth_accounts a`.execute(test.database.owner);
    expect(rows).toHaveLength(1);
    expect(rows[0]?.row).not.toContain(password);
  });

  it("takes an invitation of another tenant by its own link only, whoever holds the account", async () => {
    const victim = "victim@example.org";
    const mine = await identity.inviteMember("acme", { email: victim, role: "member", by: "attacker" });
    const theirs = await identity.inviteMember("other", { email: victim, role: "owner", by: "somebody" });
    await signIn.makeAccount({ token: mine.token, name: "Attacker", password });
    expect((await identity.listMembers("other")).map((each) => each.email)).not.toContain(victim);
    expect(await identity.findInvitation(theirs.token)).toBeDefined();
  });

  it("makes a person with their password or not at all, and has one account for an address", async () => {
    const { owner } = test.database;
    const invited = "late@example.org";
    const { token } = await identity.inviteMember("acme", { email: invited, role: "member", by: "test" });
    const make = () => signIn.makeAccount({ token, name: "Late", password });
    await sql`alter table toolwright.auth_accounts add constraint full_today check (updated_at < 'epoch') not valid`.execute(owner);
    await expect(make()).rejects.toThrow();
    await sql`alter table toolwright.auth_accounts drop constraint full_today`.execute(owner);
    const answers = await Promise.all([make(), make()]);
    expect(answers.filter((answer) => "email" in answer)).toHaveLength(1);
    const { rows } =
      await sql`select u.id from toolwright.users u join toolwright.auth_accounts a on a.user_id = u.id where u.email = ${invited}`.execute(
        owner,
      );
    expect(rows).toHaveLength(1);
  });
});
