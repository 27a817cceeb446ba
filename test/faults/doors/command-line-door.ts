import { type ChildProcess, spawn } from "node:child_process";
import { text } from "node:stream/consumers";
import type { Product } from "../product.ts";
import { type Ask, type Door, readTold } from "./door-client.ts";

/** `toolwright call --json`, a process a call. */
export function commandLineDoor({ program, args, root, env }: Product): Door {
  return {
    name: "cli",
    async open() {
      let child: ChildProcess | undefined;
      return {
        async call({ tool, key, idempotencyKey }: Ask) {
          const once = idempotencyKey === undefined ? [] : ["--idempotency-key", idempotencyKey];
          const words = [...args, "call", tool, JSON.stringify({ key }), "--json", "--policy", "policy.yaml", ...once];
          const running = spawn(program, words, { cwd: root, env, stdio: ["ignore", "pipe", "ignore"] });
          child = running;
          return readTold(JSON.parse(await text(running.stdout)));
        },
        kill: () => void child?.kill("SIGKILL"),
        close: async () => void child?.kill("SIGKILL"),
      };
    },
  };
}
