import { listCommands } from "../src/program.ts";
import { createTestIo } from "./test-io.ts";

/** Words for the arguments that commands take; what is not named here gets a name that nothing has. */
const given = new Map([
  ["tool", "file_list"],
  ["agent", "assistant"],
  ["message", "Hello."],
  ["client", "claude"],
  ["model", "demo"],
  ["<time>", "1d"],
]);
/** Commands that run until a signal. */
export const untilStopped: ReadonlySet<string> = new Set(["serve", "worker", "log follow"]);

/** Each with the arguments and options that it demands. */
export const everyCommand = listCommands(createTestIo("/").io).map(({ words, args, required }) => {
  const options = required.flatMap((flags) => {
    const [flag = "", value = ""] = flags.split(" ");
    return [flag, given.get(value) ?? "missing"];
  });
  const name = words.join(" ");
  return { name, argv: [...words, ...args.map((arg) => given.get(arg) ?? "missing"), ...options] };
});
