// Prepares the databases of a test run, says where they are in one line of JSON, and takes them down when its input ends.
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { prepareTestDatabases } from "@toolwright/postgres/testing";

const cache = fileURLToPath(new URL("../node_modules/.cache/toolwright", import.meta.url));
const databases = await prepareTestDatabases(cache, process.env.DATABASE_URL);
process.stdout.write(`${JSON.stringify({ TOOLWRIGHT_TEST_DATABASE: databases.url, TOOLWRIGHT_TEST_TEMPLATES: databases.templates })}\n`);
process.stdin.resume();
await once(process.stdin, "end");
await databases.stop();
process.exit(0);
