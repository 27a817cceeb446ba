// Loaded into a server with `--import`: answers each message of the parent with the processor time of the thread that serves, in milliseconds.
import { isMainThread } from "node:worker_threads";

if (isMainThread && process.send) {
  process.on("message", (asked) => {
    const { user, system } = process.threadCpuUsage();
    process.send({ asked, ms: (user + system) / 1_000 });
  });
  process.channel?.unref();
}
