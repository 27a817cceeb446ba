// A process on an embedded store: confirms one row, announces, begins a transaction and never ends it.
import { sql } from "kysely";
import { openEmbedded } from "../embedded/open-embedded.ts";
import { createTestFolder } from "./prepare-test-databases.ts";

const folder = process.argv[2] as string;
const create = (dataDir: string) => createTestFolder(dataDir, process.env.TOOLWRIGHT_TEST_TEMPLATES as string);
const database = await openEmbedded(folder, { holder: "the other", create });
await addAgent("confirmed-by-the-other");
database.announce({ topic: "greetings", tenant: "acme", id: "hello" });
await new Promise((resolve) => setTimeout(resolve, 50));
await database.asTenant("acme", async (query) => {
  await sql`insert into toolwright.agents (tenant, agent, name) values ('acme', 'never-confirmed', 'A')`.execute(query);
  process.stdout.write("in a transaction\n");
  await new Promise((resolve) => setTimeout(resolve, 3_600_000));
});

async function addAgent(agent: string): Promise<void> {
  await database.asTenant("acme", (query) =>
    sql`insert into toolwright.agents (tenant, agent, name) values ('acme', ${agent}, 'A')`.execute(query),
  );
}
