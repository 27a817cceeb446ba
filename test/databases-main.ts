// Prepares the databases of a test run, says where they are in one line of JSON, and takes them down when its input ends.
import { once } from "node:events";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { prepareTestDatabases } from "@toolwright/postgres/testing";

/** The cache folder of the user, as the command line sees it in tests. */
const cache = fileURLToPath(new URL("../node_modules/.cache", import.meta.url));
const databases = await prepareTestDatabases(join(cache, "toolwright"), process.env.DATABASE_URL);
process.stdout.write(
  `${JSON.stringify({ TOOLWRIGHT_TEST_DATABASE: databases.url, TOOLWRIGHT_TEST_TEMPLATES: databases.templates, TOOLWRIGHT_TEST_CACHE: cache })}\n`,
);
process.stdin.resume();
await once(process.stdin, "end");
await databases.stop();
process.exit(0);
