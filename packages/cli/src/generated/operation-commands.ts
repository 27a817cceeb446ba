// Made by `npm run generate` from the operations.
import type { GeneratedCommand } from "../commands/operations/generated-command.ts";

export const groups: Readonly<Record<string, { readonly about: string; readonly help: string }>> = {
  "grants": {
    "about": "List and revoke remembered approvals",
    "help": ""
  },
  "rooms": {
    "about": "Rooms: an agent, people, and events that the agent works off",
    "help": "\nThe agent takes events up by itself, where a server or a worker runs, with the rights of who made the room.\n\nExamples:\n  toolwright rooms create Orders --agent assistant --people bob\n  toolwright rooms post room_81f2 'Order 4711 was paid.'\n  toolwright rooms set room_81f2 --people bob eve\n  toolwright rooms resolve room_81f2 1 --outcome 'Done by phone.'"
  }
};

export const commands: readonly GeneratedCommand[] = [
  {"operation":"grants.list","words":["grants","list"],"about":"List grants in plain words","effect":"read","arguments":[],"options":[],"help":"","view":async () => (await import("@toolwright/engine/views")).grantsView},
  {"operation":"grants.revoke","words":["grants","revoke"],"about":"Revoke a grant at once","effect":"write","arguments":[{"form":"<id>","member":"id","kind":"text"}],"options":[],"help":"","view":{"note":"Grant revoked. Matching calls ask again."}},
  {"operation":"rooms.list","words":["rooms","list"],"about":"List rooms, newest first","effect":"read","arguments":[],"options":[],"help":"","view":async () => (await import("@toolwright/engine/views")).roomsView},
  {"operation":"rooms.get","words":["rooms","show"],"about":"Show a room with its events and what its agent said","effect":"read","arguments":[{"form":"<id>","member":"id","kind":"text"}],"options":[],"help":"","view":async () => (await import("@toolwright/engine/views")).roomView},
  {"operation":"rooms.create","words":["rooms","create"],"about":"Make a room","effect":"write","arguments":[{"form":"<title>","member":"title","kind":"text"}],"options":[{"member":"agent","kind":"text","flags":"--agent <id>","about":"name of the agent that works in it","required":true},{"member":"people","kind":"texts","flags":"--people <id...>","about":"ids of the people in it, beside its maker"}],"help":"","view":{"out":"{id}"}},
  {"operation":"rooms.update","words":["rooms","set"],"about":"Change the title of a room that you made, and the people in it","effect":"write","arguments":[{"form":"<id>","member":"id","kind":"text"}],"options":[{"member":"title","kind":"text","flags":"--title <text>","about":"the new title"},{"member":"people","kind":"texts","flags":"--people <id...>","about":"ids of all people in it, beside you; \"\" for nobody else"}],"help":"","changes":true,"view":{"note":"The room is changed."}},
  {"operation":"rooms.post","words":["rooms","post"],"about":"Add an event to the queue of a room","effect":"write","arguments":[{"form":"<id>","member":"id","kind":"text"},{"form":"<message...>","member":"message","kind":"text"}],"options":[],"help":"","view":{"note":"It is event {event}. See what comes of it: toolwright rooms show{where} {id}"}},
  {"operation":"rooms.resolve","words":["rooms","resolve"],"about":"Close an event that went to people","effect":"write","arguments":[{"form":"<id>","member":"id","kind":"text"},{"form":"<event>","member":"event","kind":"number"}],"options":[{"member":"outcome","kind":"text","flags":"--outcome <text>","about":"what came of it"}],"help":"","view":{"note":"Event {resolved} is closed."}},
  {"operation":"rooms.delete","words":["rooms","delete"],"about":"Delete a room with its events, and stop what its agent does","effect":"destructive","arguments":[{"form":"<id>","member":"id","kind":"text"}],"options":[],"help":"","view":{"note":"The room is deleted."}},
];
