import { createRandomIds } from "@toolwright/engine/ports";
import { openServer } from "../../database/open-server.ts";
import { createPostgresEventLog } from "../../events/postgres-event-log.ts";
import { openCallStores } from "../../recovery/open-call-stores.ts";
import { createWorkbench } from "../jobs-workbench.ts";

/** A worker as a process of its own, for tests that kill it: worker-process.ts URL NAME. */
const [url = "", name = ""] = process.argv.slice(2);
const database = await openServer(url);
const stores = await openCallStores(database, { process: name, holder: "worker" });
const events = createPostgresEventLog(database, name);
const bench = createWorkbench(database, { events, idempotency: stores.idempotency });
const worker = await bench.work({
  process: name,
  ids: createRandomIds(),
  logger: { log: (_, message) => process.stdout.write(`${message}\n`) },
});
process.once("SIGTERM", async () => {
  await worker.stop(500);
  await events.settle();
  await stores.close();
  await database.close();
});
process.stdout.write("ready\n");
