// Made by `npm run generate` from the operations.
import type { GeneratedCommand } from "../commands/operations/generated-command.ts";

export const groups: Readonly<Record<string, { readonly about: string; readonly help: string }>> = {
  "runs": {
    "about": "List and show calls, one record each",
    "help": ""
  },
  "rooms": {
    "about": "Rooms: an agent, people, and events that the agent works off",
    "help": "\nThe agent takes events up by itself, where a server or a worker runs, with the rights of who made the room.\n\nExamples:\n  toolwright rooms create Orders --agent assistant --people bob\n  toolwright rooms post room_81f2 'Order 4711 was paid.'\n  toolwright rooms set room_81f2 --people bob eve\n  toolwright rooms resolve room_81f2 1 --outcome 'Done by phone.'"
  },
  "log": {
    "about": "Read, follow and verify the log of all calls",
    "help": ""
  },
  "jobs": {
    "about": "Manage jobs: tool calls that a worker makes",
    "help": ""
  },
  "schedule": {
    "about": "Manage schedules: tool calls at set times",
    "help": ""
  },
  "secrets": {
    "about": "Manage the secrets of tools",
    "help": ""
  },
  "users": {
    "about": "Manage the members of a tenant and their roles",
    "help": ""
  },
  "roles": {
    "about": "Manage the roles of a tenant, and what each may",
    "help": ""
  },
  "keys": {
    "about": "Manage API keys of a tenant",
    "help": ""
  },
  "tenants": {
    "about": "Create and suspend tenants; no data crosses from one to another",
    "help": ""
  }
};

export const commands: readonly GeneratedCommand[] = [
  {"operation":"principals.current","words":["whoami"],"about":"Show for whom commands act, and what they may do","effect":"read","arguments":[],"options":[],"help":"","store":true,"view":async () => (await import("@toolwright/engine/views")).whoamiView},
  {"operation":"runs.list","words":["runs","list"],"about":"List calls, newest first","effect":"read","arguments":[],"options":[{"member":"tool","kind":"text","flags":"--tool <name>","about":"only of this tool"},{"member":"agent","kind":"text","flags":"--agent <id>","about":"only of this agent"},{"member":"source","kind":"text","flags":"--source <source>","about":"web, agent, api, cli, mcp or schedule"},{"member":"user","kind":"text","flags":"--user <id>","about":"only of the person with this id"},{"member":"door","kind":"text","flags":"--door <name>","about":"only through this door, such as mcp or form"},{"member":"decision","kind":"text","flags":"--decision <effect>","about":"allow, ask or deny: what was decided first"},{"member":"parent","kind":"text","flags":"--parent <call>","about":"only calls that this call made"},{"member":"status","kind":"text","flags":"--status <status>","about":"running, success, error, unknown, cancelled, denied or pending"},{"member":"since","kind":"number","reads":"past","flags":"--since <time>","about":"a span (30m, 12h, 7d) or a date"},{"member":"after","kind":"text","flags":"--after <key>","about":"next page: the key that the previous page printed"},{"member":"limit","kind":"number","flags":"--limit <count>","about":"maximum number of calls (default: 50)"}],"help":"\nExample:\n  toolwright runs list --status error --since 1d","store":true,"view":async () => (await import("@toolwright/engine/views")).runsView},
  {"operation":"runs.get","words":["runs","show"],"about":"Show a call with input and output","effect":"read","arguments":[{"form":"<id>","member":"id","kind":"text"}],"options":[],"help":"","store":true,"missing":"See the newest with: toolwright runs list{where}","view":async () => (await import("@toolwright/engine/views")).runView},
  {"operation":"runs.why","words":["runs","why"],"about":"Explain how a call was decided, as the log has it","effect":"read","arguments":[{"form":"<id>","member":"id","kind":"text"}],"options":[],"help":"\nHow such a call would be decided now: toolwright why <tool> [input...]\n\n\nExample:\n  toolwright runs why call_6fY0c2Jm","store":true,"missing":"See the newest with: toolwright runs list{where}","view":async () => (await import("@toolwright/engine/views")).runWhyView},
  {"operation":"rooms.list","words":["rooms","list"],"about":"List rooms, newest first","effect":"read","arguments":[],"options":[],"help":"","view":async () => (await import("@toolwright/engine/views")).roomsView},
  {"operation":"rooms.get","words":["rooms","show"],"about":"Show a room with its events and what its agent said","effect":"read","arguments":[{"form":"<id>","member":"id","kind":"text"}],"options":[],"help":"","view":async () => (await import("@toolwright/engine/views")).roomView},
  {"operation":"rooms.create","words":["rooms","create"],"about":"Make a room","effect":"write","arguments":[{"form":"<title>","member":"title","kind":"text"}],"options":[{"member":"agent","kind":"text","flags":"--agent <id>","about":"name of the agent that works in it","required":true},{"member":"people","kind":"texts","flags":"--people <id...>","about":"ids of the people in it, beside its maker"}],"help":"","view":{"out":"{id}"}},
  {"operation":"rooms.update","words":["rooms","set"],"about":"Change the title of a room that you made, and the people in it","effect":"write","arguments":[{"form":"<id>","member":"id","kind":"text"}],"options":[{"member":"title","kind":"text","flags":"--title <text>","about":"the new title"},{"member":"people","kind":"texts","flags":"--people <id...>","about":"ids of all people in it, beside you; \"\" for nobody else"}],"help":"","changes":true,"view":{"note":"The room is changed."}},
  {"operation":"rooms.post","words":["rooms","post"],"about":"Add an event to the queue of a room","effect":"write","arguments":[{"form":"<id>","member":"id","kind":"text"},{"form":"<message...>","member":"message","kind":"text"}],"options":[],"help":"","view":{"note":"It is event {event}. See what comes of it: toolwright rooms show{where} {id}"}},
  {"operation":"rooms.resolve","words":["rooms","resolve"],"about":"Close an event that went to people","effect":"write","arguments":[{"form":"<id>","member":"id","kind":"text"},{"form":"<event>","member":"event","kind":"number"}],"options":[{"member":"outcome","kind":"text","flags":"--outcome <text>","about":"what came of it"}],"help":"","view":{"note":"Event {resolved} is closed."}},
  {"operation":"rooms.delete","words":["rooms","delete"],"about":"Delete a room with its events, and stop what its agent does","effect":"destructive","arguments":[{"form":"<id>","member":"id","kind":"text"}],"options":[],"help":"","view":{"note":"The room is deleted."}},
  {"operation":"events.heads","words":["log","sessions"],"about":"List sessions, most recently written first","effect":"read","arguments":[],"options":[{"member":"since","kind":"number","reads":"past","flags":"--since <time>","about":"written since then: a span (12h, 30d) or a date"},{"member":"limit","kind":"number","flags":"--limit <count>","about":"maximum number of sessions (default: 100)"}],"help":"","store":true,"view":async () => (await import("@toolwright/engine/views")).headsView},
  {"operation":"jobs.list","words":["jobs","list"],"about":"List jobs, newest first","effect":"read","arguments":[],"options":[{"member":"states","kind":"texts","flags":"--state <state...>","about":"only jobs in these states; failed and unknown are dead letters"},{"member":"limit","kind":"number","flags":"--limit <count>","about":"maximum number of jobs (default: 100)"}],"help":"","view":async () => (await import("@toolwright/engine/views")).jobsView},
  {"operation":"jobs.get","words":["jobs","show"],"about":"Show a job","effect":"read","arguments":[{"form":"<id>","member":"id","kind":"text"}],"options":[],"help":"","view":async () => (await import("@toolwright/engine/views")).jobView},
  {"operation":"jobs.cancel","words":["jobs","cancel"],"about":"Cancel a job, also while its tool runs","effect":"destructive","arguments":[{"form":"<id>","member":"id","kind":"text"}],"options":[{"member":"reason","kind":"text","flags":"--reason <text>","about":"what its maker should know"}],"help":"","view":async () => (await import("@toolwright/engine/views")).jobCancelledView},
  {"operation":"jobs.redrive","words":["jobs","redrive"],"about":"Retry a job that did not succeed","effect":"write","arguments":[{"form":"<id>","member":"id","kind":"text"}],"options":[{"member":"mayRepeat","kind":"flag","flags":"--may-repeat","about":"also when its tool may have had its effect already"}],"help":"","view":{"note":"It waits for a worker again, and so does what was skipped for it."}},
  {"operation":"jobs.remove","words":["jobs","remove"],"about":"Delete finished jobs","effect":"destructive","arguments":[{"form":"<id...>","member":"id","kind":"text"}],"options":[],"help":"","each":"id","view":async () => (await import("@toolwright/engine/views")).jobRemovedView},
  {"operation":"schedules.list","words":["schedule","list"],"about":"List schedules","effect":"read","arguments":[],"options":[],"help":"","view":async () => (await import("@toolwright/engine/views")).schedulesView},
  {"operation":"schedules.pause","words":["schedule","pause"],"about":"Pause a schedule","effect":"write","arguments":[{"form":"<id>","member":"id","kind":"text"}],"options":[],"help":"","gives":{"paused":true},"view":async () => (await import("@toolwright/engine/views")).scheduleView},
  {"operation":"schedules.pause","words":["schedule","resume"],"about":"Resume a schedule","effect":"write","arguments":[{"form":"<id>","member":"id","kind":"text"}],"options":[],"help":"","gives":{"paused":false},"view":async () => (await import("@toolwright/engine/views")).scheduleView},
  {"operation":"schedules.remove","words":["schedule","remove"],"about":"Remove a schedule","effect":"destructive","arguments":[{"form":"<id>","member":"id","kind":"text"}],"options":[],"help":"","view":{"note":"Removed, and with it what it was allowed. The jobs that it made stay."}},
  {"operation":"secrets.list","words":["secrets","list"],"about":"List names, owners, hosts and dates; never values","effect":"read","arguments":[],"options":[],"help":"","store":true,"secrets":true,"view":async () => (await import("@toolwright/engine/views")).secretsView},
  {"operation":"secrets.remove","words":["secrets","remove"],"about":"Remove a secret","effect":"destructive","arguments":[{"form":"<name>","member":"name","kind":"text"}],"options":[{"member":"agent","kind":"text","flags":"--agent <id>","about":"the secret of this agent"}],"help":"","store":true,"secrets":true,"missing":"See them with: toolwright secrets list{where}","view":async () => (await import("@toolwright/engine/views")).secretRemovedView},
  {"operation":"users.update","words":["users","set-role"],"about":"Change the role of a member","effect":"write","arguments":[{"form":"<who>","member":"who","kind":"text"},{"form":"<role>","member":"role","kind":"text"}],"options":[],"help":"","store":true,"view":async () => (await import("@toolwright/engine/views")).userSetView},
  {"operation":"users.remove","words":["users","remove"],"about":"Remove a member, by e-mail or id, or withdraw an invitation","effect":"destructive","arguments":[{"form":"<who>","member":"who","kind":"text"}],"options":[],"help":"","store":true,"view":async () => (await import("@toolwright/engine/views")).userRemovedView},
  {"operation":"roles.list","words":["roles","list"],"about":"List roles: the built-in ones, then those of the tenant","effect":"read","arguments":[],"options":[],"help":"","store":true,"view":async () => (await import("@toolwright/engine/views")).rolesView},
  {"operation":"roles.set","words":["roles","set"],"about":"Create a role, or replace what it may","effect":"write","arguments":[{"form":"<role>","member":"role","kind":"text"}],"options":[{"member":"permissions","kind":"texts","flags":"--permission <name...>","about":"what it may, as in entities.tenant.read; * stands for any one part (default: only what needs no permission)"}],"help":"\nExample:\n  toolwright roles set auditor --permission '*.*.read' --permission log:read --tenant acme","store":true,"view":async () => (await import("@toolwright/engine/views")).roleSetView},
  {"operation":"roles.remove","words":["roles","remove"],"about":"Remove a role that nobody has","effect":"destructive","arguments":[{"form":"<role>","member":"role","kind":"text"}],"options":[],"help":"","store":true,"view":{"note":"The role {removed} is removed."}},
  {"operation":"keys.list","words":["keys","list"],"about":"List keys; never prints the secret part","effect":"read","arguments":[],"options":[],"help":"","store":true,"view":async () => (await import("@toolwright/engine/views")).keysView},
  {"operation":"keys.create","words":["keys","create"],"about":"Create a key and print it once","effect":"write","arguments":[{"form":"<name>","member":"name","kind":"text"}],"options":[{"member":"permissions","kind":"texts","flags":"--permission <name...>","about":"what it may, as in entities.tenant.read; * stands for any one part (default: only what needs no permission)"},{"member":"agent","kind":"text","flags":"--agent <id>","about":"the key calls in the name of this agent"},{"member":"user","kind":"text","flags":"--user <who>","about":"the key calls as this member, within their role"},{"member":"days","kind":"number","flags":"--days <count>","about":"days until the key expires, 1 to 3650","usual":"90"}],"help":"\nExample:\n  toolwright keys create ci --permission 'entities.*.read' --days 30 --tenant acme","store":true,"view":async () => (await import("@toolwright/engine/views")).keyMadeView},
  {"operation":"keys.revoke","words":["keys","revoke"],"about":"Revoke a key at once","effect":"destructive","arguments":[{"form":"<id>","member":"id","kind":"text"}],"options":[],"help":"","store":true,"view":{"note":"Revoked. It opens nothing from now on."}},
  {"operation":"tenants.list","words":["tenants","list"],"about":"List all tenants","effect":"read","arguments":[],"options":[],"help":"","store":true,"tenantless":true,"view":async () => (await import("@toolwright/engine/views")).tenantsView},
  {"operation":"tenants.create","words":["tenants","create"],"about":"Create a tenant","effect":"write","arguments":[{"form":"<tenant>","member":"tenant","kind":"text"}],"options":[{"member":"name","kind":"text","flags":"--name <text>","about":"display name"}],"help":"","store":true,"tenantless":true,"view":{"out":"Made the tenant {tenant}. Ask its first owner in: toolwright users invite <e-mail> --role owner --tenant {tenant}"}},
  {"operation":"tenants.suspend","words":["tenants","suspend"],"about":"Block all access to a tenant; keep its data","effect":"write","arguments":[{"form":"<tenant>","member":"tenant","kind":"text"}],"options":[],"help":"","store":true,"tenantless":true,"view":{"note":"Suspended {tenant}: nobody of it gets in from now on. toolwright tenants resume {tenant} takes it back."}},
  {"operation":"tenants.resume","words":["tenants","resume"],"about":"Restore access to a suspended tenant","effect":"write","arguments":[{"form":"<tenant>","member":"tenant","kind":"text"}],"options":[],"help":"","store":true,"tenantless":true,"view":{"note":"{tenant} goes on."}},
];
