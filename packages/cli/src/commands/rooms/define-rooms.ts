import type { Command } from "commander";
import { type Define, withServer } from "../define.ts";

/** The commands for rooms, in which agents work off events. */
export function defineRooms(program: Command, define: Define): void {
  const rooms = program
    .command("rooms")
    .description("Rooms: an agent, people, and events that the agent works off")
    .exitOverride()
    .addHelpText(
      "after",
      `
The agent takes events up by itself, where a server or a worker runs, with the rights of who made the room.

Examples:
  toolwright rooms create Orders --agent assistant --people bob
  toolwright rooms post room_81f2 'Order 4711 was paid.'
  toolwright rooms set room_81f2 --people bob eve
  toolwright rooms resolve room_81f2 1 --outcome 'Done by phone.'`,
    );
  const load = (name: "list" | "show" | "create" | "set" | "post" | "resolve" | "remove") => async () => (await import("./rooms.ts"))[name];
  withServer(define("list", "List rooms, newest first", load("list"), rooms));
  withServer(define("show <id>", "Show a room with its events and what its agent said", load("show"), rooms));
  withServer(define("create <title>", "Make a room", load("create"), rooms))
    .requiredOption("--agent <id>", "the agent that works in it")
    .option("--people <id...>", "ids of the people in it, beside you");
  withServer(define("set <id>", "Change the title of a room that you made, and the people in it", load("set"), rooms))
    .option("--title <text>", "the new title")
    .option("--people <id...>", 'ids of all people in it, beside you; "" for nobody else');
  withServer(define("post <id> <message...>", "Add an event to the queue of a room", load("post"), rooms));
  withServer(define("resolve <id> <event>", "Close an event that went to people", load("resolve"), rooms)).option(
    "--outcome <text>",
    "what came of it",
  );
  withServer(define("delete <id>", "Delete a room with its events, and stop what its agent does", load("remove"), rooms));
}
