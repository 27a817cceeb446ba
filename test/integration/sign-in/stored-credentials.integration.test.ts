import { randomBytes } from "node:crypto";
import { sha256 } from "@toolwright/engine/ports";
import { createIdentity, systemHandle } from "@toolwright/postgres";
import { openTestDatabase, type TestDatabase, testDatabaseKinds } from "@toolwright/postgres/testing";
import { openLibrary } from "@toolwright/sign-in/testing";
import { sql } from "kysely";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

const origin = "https://tools.example.org";
const soon = () => new Date(Date.now() + 60_000);

describe.each(testDatabaseKinds)("credentials of the sign-in library, %s (R-TN-7)", (kind) => {
  let test: TestDatabase;
  let library: Awaited<ReturnType<typeof openLibrary>>;
  const open = () => {
    const secret = randomBytes(32).toString("hex");
    const options = { origin, resource: `${origin}/mcp`, secret, addressHeader: "x-address", log: () => {} };
    return openLibrary({ handle: systemHandle(test.database), identity: createIdentity(test.database) }, options);
  };
  beforeAll(async () => {
    test = await openTestDatabase(kind);
    const { database } = test;
    library = await open();
    await sql`insert into toolwright.users (id, name, email) values ('ann', 'Ann', 'ann@example.org')`.execute(database.owner);
  });
  afterAll(() => test.cleanup());

  const stored = async (table: string) =>
    (await sql<{ row: string }>`select t::text as row from ${sql.table(`toolwright.${table}`)} t`.execute(test.database.owner)).rows
      .map(({ row }) => row)
      .join("\n");

  it("are found, changed and ended by what their holder has, and by nothing that is stored", async () => {
    const { internalAdapter } = library;
    const { token } = await internalAdapter.createSession("ann");
    const hash = sha256(token);
    expect(await stored("auth_sessions")).toContain(hash);
    expect(await stored("auth_sessions")).not.toContain(token);
    expect((await internalAdapter.findSession(token))?.session.token).toBe(token);
    expect(await internalAdapter.findSession(hash)).toBeNull();
    expect((await internalAdapter.updateSession(token, { userAgent: "new" }))?.token).toBe(token);
    await internalAdapter.deleteSession(hash);
    expect((await internalAdapter.findSession(token))?.session).toMatchObject({ userAgent: "new" });
    await internalAdapter.deleteSession(token);
    expect(await internalAdapter.findSession(token)).toBeNull();
  });

  it("are listed by something that ends them and signs nobody in elsewhere", async () => {
    const { internalAdapter } = library;
    const tokens = await Promise.all([1, 2, 3].map(async () => (await internalAdapter.createSession("ann")).token));
    expect(await internalAdapter.findSessions(tokens)).toHaveLength(3);
    const listed = await internalAdapter.listSessions("ann");
    expect(listed.map(({ token }) => token).filter((token) => tokens.includes(token))).toEqual([]);
    await internalAdapter.deleteSession(listed[0]?.token ?? "");
    expect(await internalAdapter.listSessions("ann")).toHaveLength(2);
    await internalAdapter.deleteSessions(tokens);
    expect(await internalAdapter.listSessions("ann")).toEqual([]);
  });

  it("that are valid for minutes are used once, and their hash is worth nothing", async () => {
    const { internalAdapter } = library;
    const value = JSON.stringify({ callbackURL: "/", codeVerifier: "the-verifier", oauthState: "the-state" });
    for (const identifier of ["the-state", "another"])
      await internalAdapter.createVerificationValue({ identifier, value, expiresAt: soon() });
    expect(await stored("auth_verifications")).not.toMatch(/the-state|the-verifier|another/);
    const hash = sha256("the-state");
    expect(await internalAdapter.findVerificationValue(hash)).toBeNull();
    expect(await internalAdapter.consumeVerificationValue(hash)).toBeNull();
    expect((await internalAdapter.findVerificationValue("the-state"))?.value).toBe(value);
    await internalAdapter.updateVerificationByIdentifier("the-state", { value: `${value} ` });
    const taken = await Promise.all([1, 2, 3].map(() => internalAdapter.consumeVerificationValue("the-state")));
    expect(taken.filter((row) => row !== null).map((row) => row.value)).toEqual([`${value} `]);
    await internalAdapter.deleteVerificationByIdentifier("another");
    expect(await stored("auth_verifications")).toBe("");
  });

  it("that another secret sealed are as if they were not there", async () => {
    const { internalAdapter } = await open();
    await internalAdapter.createVerificationValue({ identifier: "sealed", value: "{}", expiresAt: soon() });
    expect(await library.internalAdapter.findVerificationValue("sealed")).toBeNull();
    expect(await library.internalAdapter.consumeVerificationValue("sealed")).toBeNull();
    expect((await internalAdapter.consumeVerificationValue("sealed"))?.value).toBe("{}");
  });

  it("of another server are not kept", async () => {
    const { internalAdapter } = library;
    const tokens = { accessToken: "their-access", refreshToken: "their-refresh", idToken: "their-id" };
    const { id } = await internalAdapter.createAccount({ providerId: "oidc", accountId: "1", userId: "ann", ...tokens });
    await internalAdapter.updateAccount(id, { ...tokens, scope: "openid" });
    expect(await stored("auth_accounts")).toContain("openid");
    expect(await stored("auth_accounts")).not.toContain("their-");
  });
});
