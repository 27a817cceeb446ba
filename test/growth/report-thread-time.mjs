// Loaded into a server with `--import`: answers each message of the parent with the processor time of the thread that serves, in milliseconds of user mode.
import { isMainThread } from "node:worker_threads";

if (isMainThread && process.send) {
  process.on("message", (asked) => {
    // Of the program itself: the kernel takes up to 10 ms a MB for pages that are touched first, which says nothing of how the program grows.
    process.send({ asked, ms: process.threadCpuUsage().user / 1_000 });
  });
  process.channel?.unref();
}
