import { randomBytes } from "node:crypto";
import { createIdentity, systemHandle } from "@toolwright/postgres";
import { openTestDatabase, type TestDatabase, testDatabaseKinds } from "@toolwright/postgres/testing";
import type { SignInTables } from "@toolwright/sign-in";
import { openLibrary } from "@toolwright/sign-in/testing";
import { type Kysely, sql } from "kysely";
import { afterAll, beforeAll, describe, expect, expectTypeOf, it } from "vitest";

type StoreTables = ReturnType<typeof systemHandle> extends Kysely<infer Tables> ? Tables : never;

it("the tables that the package names are typed as the store types them, which the handle's own type does not show", () => {
  type Shared = { [Name in keyof SignInTables]: Pick<StoreTables[Name], keyof SignInTables[Name] & keyof StoreTables[Name]> };
  expectTypeOf<SignInTables>().toEqualTypeOf<Shared>();
});

describe.each(testDatabaseKinds)("the tables of the sign-in library, %s", (kind) => {
  let test: TestDatabase;
  beforeAll(async () => {
    test = await openTestDatabase(kind);
  });
  afterAll(() => test.cleanup());

  /** What the library itself finds wrong with the tables. */
  async function findings(): Promise<string> {
    const opening = openLibrary(
      { handle: systemHandle(test.database), identity: createIdentity(test.database) },
      {
        origin: "http://localhost:7777",
        resource: "http://localhost:7777/mcp",
        secret: randomBytes(32).toString("hex"),
        addressHeader: "x-address",
        log: () => {},
      },
    );
    try {
      const { checkTables } = await opening;
      if (!checkTables) return "no check";
      await checkTables();
      return "none";
    } catch (error) {
      return String(error);
    }
  }

  it("are those that it asks for, by its own check", async () => {
    expect(await findings()).toBe("none");
  });

  it("are found wrong by that check when a column is missing", async () => {
    await sql`alter table toolwright.oauth_consents rename column scopes to elsewhere`.execute(test.database.owner);
    expect(await findings()).toContain("scopes");
    await sql`alter table toolwright.oauth_consents rename column elsewhere to scopes`.execute(test.database.owner);
  });
});
