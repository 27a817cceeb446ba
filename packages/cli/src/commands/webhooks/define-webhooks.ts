import type { Command } from "commander";
import { type Define, withServer } from "../define.ts";

/** The commands for addresses to which others send webhooks. */
export function defineWebhooks(program: Command, define: Define): void {
  const hooks = program.command("hooks").description("Manage hooks: addresses whose webhooks an agent answers").exitOverride();
  const load = (name: "add" | "list" | "remove") => async () => (await import("./webhooks.ts"))[name];
  withServer(define("add <name>", "Create a hook and print its address", load("add"), hooks))
    .requiredOption("--agent <name>", "the agent that answers")
    .requiredOption("--secret <name>", "name of the secret that senders sign with")
    .option("--channel <name>", "how webhooks come and messages go out: log, webhook or whatsapp (default: log)")
    .option("--target <url>", "where messages go out to")
    .option("--credential <name>", "name of a secret that is bound to the host of the target and sent along")
    .addHelpText(
      "after",
      '\nThe secret is set before: whsec_ and base64 of 24 to 64 bytes, and for whatsapp the app secret of Meta.\n\nExample:\n  echo "whsec_$(openssl rand -base64 32)" | toolwright secrets set orders_hook\n  toolwright hooks add orders --agent assistant --secret orders_hook',
    );
  withServer(define("list", "List hooks", load("list"), hooks));
  withServer(define("remove <name>", "Remove a hook", load("remove"), hooks));
}
