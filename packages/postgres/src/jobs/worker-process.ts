import { createRandomIds, silentLogger } from "@toolwright/engine";
import { openServer } from "../database/open-server.ts";
import { createWorkbench } from "./jobs-workbench.ts";

/** A worker as a process of its own, for tests that kill it: worker-process.ts URL NAME. */
const [url = "", name = ""] = process.argv.slice(2);
const database = await openServer(url);
const bench = createWorkbench(database);
const worker = await bench.work({ process: name, ids: createRandomIds(), logger: silentLogger });
process.once("SIGTERM", async () => {
  await worker.stop(500);
  await database.close();
});
process.stdout.write("ready\n");
