import { sampleObject } from "../integration/two-tenants/sample-input.ts";

type ToolInput = { readonly base: object; readonly parsed?: readonly string[] } | { readonly exempt: string };

const browser = { exempt: "It works in the browser's process, which its own limits hold; its texts are bounded to 100,000 characters." };
const snapshot = { snapshotId: "some-id", ref: "e1" };

/** Tools that a sample of their schema does not drive far enough, or that cannot be driven. Members that the schema takes and a base lacks are named by the test beside this. */
export const toolInputs: Readonly<Record<string, ToolInput>> = {
  file_read: { base: { path: "notes.txt" } },
  file_write: { base: { path: "made.txt", content: "words", overwrite: true, version: null }, parsed: ["content"] },
  file_edit: { base: { path: "notes.txt", oldText: "absent", newText: "words", version: null } },
  file_patch: { base: { patch: "*** Begin Patch\n*** Update File: notes.txt\n@@\n-a\n+b\n*** End Patch\n" }, parsed: ["patch"] },
  file_delete: { base: { path: "nothing.txt" } },
  file_list: { base: { path: "." } },
  file_search: { base: { type: "grep", pattern: "word", path: ".", glob: "*.txt" }, parsed: ["pattern", "glob"] },
  exec: { base: { command: "true", workdir: "." }, parsed: ["command"] },
  process_write: { base: { id: "some-id", data: "words" } },
  http_request: {
    base: { url: "http://127.0.0.1/", headers: [{ name: "x-name", value: "value" }], body: "words", credential: "key" },
    parsed: ["url"],
  },
  web_fetch: { base: { url: "http://127.0.0.1/", encoding: "utf-8" } },
  git_clone: { base: { url: "https://127.0.0.1/a/b.git", path: "cloned", ref: "main", credential: "key" } },
  document_read: { base: { path: "notes.txt", attachment: "notes.txt", pages: "1-2,3", cells: "1-2,3", encoding: "utf-8" } },
  web_search: { base: { query: "words", site: "example.org" }, parsed: ["query"] },
  memory_save: { base: { content: "Ann likes tea.", key: "tea", expiresAt: "2030-01-01T00:00:00Z" }, parsed: ["content"] },
  memory_search: { base: { query: "what does Ann like" }, parsed: ["query"] },
  memory_get: { base: { key: "tea" } },
  memory_forget: { base: { key: "nothing" } },
  knowledge_write: {
    base: { text: "Ann likes tea.", title: "Tea", collection: "notes", path: null, url: null, documentId: null, encoding: "utf-8" },
    parsed: ["text"],
  },
  knowledge_search: { base: { query: "what does Ann like", collection: "notes" }, parsed: ["query"] },
  knowledge_list: { base: { collection: "notes", cursor: "x" } },
  code_run: { base: { program: "return 1" }, parsed: ["program"] },
  document_verify: { base: { path: "notes.txt", attachment: "notes.txt", question: "What is in it?", encoding: "utf-8" } },
  browser_open: browser,
  browser_snapshot: browser,
  browser_find: browser,
  browser_click: { base: snapshot },
  browser_type: { base: { ...snapshot, text: "words", credential: "key" } },
  browser_select: { base: { ...snapshot, option: "one" } },
  browser_press: { base: { ...snapshot, key: "Enter" } },
  browser_upload: { base: { ...snapshot, path: "notes.txt" } },
  browser_wait: browser,
  browser_screenshot: browser,
  browser_close: browser,
  agent_run: {
    base: { agent: "helper", message: "Hello.", conversation: "chat-1", attachments: ["notes.txt"], turn: "some-id" },
    parsed: ["message"],
  },
  delegate: { base: { agent: "helper", task: "Read." } },
  skill_read: { base: { skill: "tidy" } },
  task_spawn: { base: { task: "Read.", tools: ["file_read"] } },
  usage_stats: { base: { since: "2026-01-01", until: "2026-01-02", agent: "helper", model: "x/y" } },
  schedule_add: {
    base: {
      name: "nightly",
      tool: "file_read",
      input: "{}",
      cron: "0 3 * * *",
      zone: "Europe/Berlin",
      at: "x",
      message: null,
      agent: "helper",
    },
    parsed: ["cron"],
  },
  send_outbound_message: { base: { text: "Hello.", to: "ann" } },
  send_whatsapp_template: { base: { to: "ann", template: "hello", language: "en", parameters: ["Ann"] } },
  outbound_deliver: {
    base: { message: "m", at: 0, to: "ann", content: { text: "Hello.", template: { name: "n", language: "en", parameters: ["a"] } } },
  },
  room_post: { base: { room: "some-id", message: "Hello." } },
  room_send_to_human: { base: { message: "Hello.", to: "ann" }, parsed: ["message"] },
  room_event_complete: { base: { event: 1, outcome: "Done." } },
  room_compact_history: { base: { summary: "Words." } },
};

/** What a tool is driven with: what is written here, else a sample of its schema with all members. */
export function toolInputOf(name: string, inputSchema: Readonly<Record<string, unknown>>): ToolInput {
  const written = toolInputs[name];
  if (written) return written;
  if (Object.keys(inputSchema.properties ?? {}).length === 0) return { exempt: "It has no input." };
  return { base: sampleObject(inputSchema, { text: (member) => (member === "path" ? "notes.txt" : "some-id") }) };
}
