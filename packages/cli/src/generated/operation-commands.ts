// Made by `npm run generate` from the operations.
import type { GeneratedCommand } from "../commands/operations/generated-command.ts";

export const groups: Readonly<Record<string, { readonly about: string; readonly help: string }>> = {
  "tools": {
    "about": "Manage who has which tools",
    "help": ""
  },
  "grants": {
    "about": "List and revoke remembered approvals",
    "help": ""
  },
  "rooms": {
    "about": "Rooms: an agent, people, and events that the agent works off",
    "help": "\nThe agent takes events up by itself, where a server or a worker runs, with the rights of who made the room.\n\nExamples:\n  toolwright rooms create Orders --agent assistant --people bob\n  toolwright rooms post room_81f2 'Order 4711 was paid.'\n  toolwright rooms set room_81f2 --people bob eve\n  toolwright rooms resolve room_81f2 1 --outcome 'Done by phone.'"
  },
  "policy": {
    "about": "Check, test and compare policies",
    "help": ""
  },
  "agents": {
    "about": "Manage agents: tools, features, settings",
    "help": ""
  },
  "skills": {
    "about": "Manage skills: instructions with the tools that they need",
    "help": ""
  }
};

export const commands: readonly GeneratedCommand[] = [
  {"operation":"tools.remove","words":["tools","remove"],"about":"Remove a tenant's own tool and its settings","effect":"destructive","arguments":[{"form":"<tool>","member":"tool","kind":"text"}],"options":[],"help":"","view":{"note":"{removed} is gone, and what enabled it. toolwright tools versions {removed} keeps showing its schemas.","always":true}},
  {"operation":"tools.versions","words":["tools","versions"],"about":"List the schema versions of a tenant's own tool","effect":"read","arguments":[{"form":"<tool>","member":"tool","kind":"text"}],"options":[],"help":"","view":async () => (await import("@toolwright/engine/views")).toolVersionsView},
  {"operation":"grants.list","words":["grants","list"],"about":"List grants in plain words","effect":"read","arguments":[],"options":[],"help":"","view":async () => (await import("@toolwright/engine/views")).grantsView},
  {"operation":"grants.revoke","words":["grants","revoke"],"about":"Revoke a grant at once","effect":"write","arguments":[{"form":"<id>","member":"id","kind":"text"}],"options":[],"help":"","view":{"note":"Grant revoked. Matching calls ask again.","always":true}},
  {"operation":"rooms.list","words":["rooms","list"],"about":"List rooms, newest first","effect":"read","arguments":[],"options":[],"help":"","view":async () => (await import("@toolwright/engine/views")).roomsView},
  {"operation":"rooms.get","words":["rooms","show"],"about":"Show a room with its events and what its agent said","effect":"read","arguments":[{"form":"<id>","member":"id","kind":"text"}],"options":[],"help":"","view":async () => (await import("@toolwright/engine/views")).roomView},
  {"operation":"rooms.create","words":["rooms","create"],"about":"Make a room","effect":"write","arguments":[{"form":"<title>","member":"title","kind":"text"}],"options":[{"member":"agent","kind":"text","flags":"--agent <id>","about":"name of the agent that works in it","required":true},{"member":"people","kind":"texts","flags":"--people <id...>","about":"ids of the people in it, beside its maker"}],"help":"","view":{"out":"{id}"}},
  {"operation":"rooms.update","words":["rooms","set"],"about":"Change the title of a room that you made, and the people in it","effect":"write","arguments":[{"form":"<id>","member":"id","kind":"text"}],"options":[{"member":"title","kind":"text","flags":"--title <text>","about":"the new title"},{"member":"people","kind":"texts","flags":"--people <id...>","about":"ids of all people in it, beside you; \"\" for nobody else"}],"help":"","changes":true,"view":{"note":"The room is changed."}},
  {"operation":"rooms.post","words":["rooms","post"],"about":"Add an event to the queue of a room","effect":"write","arguments":[{"form":"<id>","member":"id","kind":"text"},{"form":"<message...>","member":"message","kind":"text"}],"options":[],"help":"","view":{"note":"It is event {event}. See what comes of it: toolwright rooms show{where} {id}"}},
  {"operation":"rooms.resolve","words":["rooms","resolve"],"about":"Close an event that went to people","effect":"write","arguments":[{"form":"<id>","member":"id","kind":"text"},{"form":"<event>","member":"event","kind":"number"}],"options":[{"member":"outcome","kind":"text","flags":"--outcome <text>","about":"what came of it"}],"help":"","view":{"note":"Event {resolved} is closed."}},
  {"operation":"rooms.delete","words":["rooms","delete"],"about":"Delete a room with its events, and stop what its agent does","effect":"destructive","arguments":[{"form":"<id>","member":"id","kind":"text"}],"options":[],"help":"","view":{"note":"The room is deleted."}},
  {"operation":"policy.versions","words":["policy","versions"],"about":"List the versions of a tenant's policy, newest first","effect":"read","arguments":[],"options":[{"member":"limit","kind":"number","flags":"--limit <count>","about":"at most so many (default: 50)"}],"help":"","view":async () => (await import("@toolwright/engine/views")).policyVersionsView},
  {"operation":"policy.diff","words":["policy","diff"],"about":"Compare two revisions of a tenant's policy","effect":"read","arguments":[{"form":"[from]","member":"from","kind":"number"},{"form":"[to]","member":"to","kind":"number"}],"options":[],"help":"\nWithout revisions: the one in force and the one before it.\n\nExample:\n  toolwright policy diff 3 5 --tenant acme","view":async () => (await import("@toolwright/engine/views")).policyDiffView},
  {"operation":"agents.list","words":["agents","list"],"about":"List agents","effect":"read","arguments":[],"options":[],"help":"","view":async () => (await import("@toolwright/engine/views")).agentsView},
  {"operation":"agents.get","words":["agents","show"],"about":"Show an agent with its skills and tool settings","effect":"read","arguments":[{"form":"<agent>","member":"agent","kind":"text"}],"options":[],"help":"","view":async () => (await import("@toolwright/engine/views")).agentView},
  {"operation":"agents.create","words":["agents","create"],"about":"Create an agent","effect":"write","arguments":[{"form":"<agent>","member":"agent","kind":"text"}],"options":[{"member":"name","kind":"text","flags":"--name <text>","about":"display name"},{"member":"features","kind":"texts","names":false,"flags":"--off <feature...>","about":"hide the tools of a feature, also enabled ones: memory, knowledge"},{"member":"features","kind":"texts","names":true,"flags":"--on <feature...>","about":"show the tools of a feature again"},{"member":"restricted","kind":"flag","flags":"--restricted","about":"give the agent only tools that are enabled for it","no":"give the agent all tools except those that are disabled for it"},{"member":"acceptsAgents","kind":"flag","flags":"--accepts-agents","about":"other agents may call it","no":"no agent may call it"},{"member":"instructions","kind":"text","reads":"text","flags":"--instructions <path>","about":"what it is told before every message, Markdown; - for stdin"},{"member":"model","kind":"text","flags":"--model <name>","about":"provider/name (default: TOOLWRIGHT_MODEL)"},{"member":"limits","kind":"number","into":"steps","flags":"--steps <count>","about":"requests to the model in one turn (default: 15)"},{"member":"tools","kind":"texts","flags":"--with <tool...>","about":"tools to enable"}],"help":"\nExample:\n  toolwright agents create reviewer --restricted --with file_read file_search --off memory","view":async () => (await import("@toolwright/engine/views")).agentView},
  {"operation":"enablement.set","words":["tools","enable"],"about":"Enable tools","effect":"write","arguments":[{"form":"<tools...>","member":"tools","kind":"texts"}],"options":[{"member":"agent","kind":"text","flags":"--agent <id>","about":"for this agent (default: for the whole tenant)"}],"gives":{"enabled":true},"help":"\nFor the tenant it opts in to tools that are opt-in. For the tenant default it holds for every tenant that says nothing itself.\n\nExample:\n  toolwright tools enable exec --agent reviewer","view":async () => (await import("@toolwright/engine/views")).enabledView},
  {"operation":"enablement.set","words":["tools","disable"],"about":"Disable tools, even where a skill enables them","effect":"write","arguments":[{"form":"<tools...>","member":"tools","kind":"texts"}],"options":[{"member":"agent","kind":"text","flags":"--agent <id>","about":"for this agent (default: for the whole tenant)"}],"gives":{"enabled":false},"help":"","view":async () => (await import("@toolwright/engine/views")).enabledView},
  {"operation":"enablement.set","words":["tools","reset"],"about":"Undo enable or disable","effect":"write","arguments":[{"form":"<tools...>","member":"tools","kind":"texts"}],"options":[{"member":"agent","kind":"text","flags":"--agent <id>","about":"for this agent (default: for the whole tenant)"}],"help":"","view":async () => (await import("@toolwright/engine/views")).enabledView},
  {"operation":"skills.list","words":["skills","list"],"about":"List skills with the agents that have them","effect":"read","arguments":[],"options":[],"help":"","view":async () => (await import("@toolwright/engine/views")).skillsView},
  {"operation":"skills.get","words":["skills","show"],"about":"Show a skill with its instructions","effect":"read","arguments":[{"form":"<skill>","member":"skill","kind":"text"}],"options":[],"help":"","view":async () => (await import("@toolwright/engine/views")).skillView},
  {"operation":"skills.create","words":["skills","create"],"about":"Create a skill","effect":"write","arguments":[{"form":"<skill>","member":"skill","kind":"text"}],"options":[{"member":"title","kind":"text","flags":"--title <text>","about":"display name"},{"member":"instructions","kind":"text","reads":"text","flags":"--file <path>","about":"its instructions, Markdown; - for stdin"},{"member":"tools","kind":"texts","flags":"--with <tool...>","about":"all tools that it needs"}],"help":"\nExample:\n  toolwright skills create release-notes --file release-notes.md --with file_read git_clone","view":async () => (await import("@toolwright/engine/views")).changedSkillView},
  {"operation":"skills.update","words":["skills","set"],"about":"Change the named settings of a skill","effect":"write","arguments":[{"form":"<skill>","member":"skill","kind":"text"}],"options":[{"member":"title","kind":"text","flags":"--title <text>","about":"display name"},{"member":"instructions","kind":"text","reads":"text","flags":"--file <path>","about":"its instructions, Markdown; - for stdin"},{"member":"tools","kind":"texts","flags":"--with <tool...>","about":"all tools that it needs"}],"help":"","changes":true,"view":async () => (await import("@toolwright/engine/views")).changedSkillView},
  {"operation":"skills.remove","words":["skills","remove"],"about":"Remove a skill and report which agents had it","effect":"destructive","arguments":[{"form":"<skill>","member":"skill","kind":"text"}],"options":[],"help":"","view":async () => (await import("@toolwright/engine/views")).removedSkillView},
];
