import { expect, test } from "vitest";
import type { ViewContext } from "../shell.ts";
import { belongingsView, removedAgentView } from "./agents.ts";

const nothing = {
  ...{ schedules: [], hooks: [], jobs: [], keys: [], grants: [], approvals: [], turns: [], rooms: [] },
  ...{ secrets: 0, memories: 0, tools: 0, skills: 0 },
};
const context: ViewContext = { input: { agent: "coder" }, where: "", tenant: "default", now: 0 };

test("who is asked whether to delete an agent reads what goes with it and what stays", () => {
  const found = { ...nothing, keys: ["ci"], memories: 2, rooms: ["room_1"], folders: ["/w/coder/conversations"], left: ["/v"] };
  expect(belongingsView.show?.(found, context)).toEqual([
    "With the agent coder go 1 API key (ci), 2 memories, and the files of its conversations in /w/coder/conversations. What it did stays in the log.",
    "1 room (room_1) stays, and its events go to people.",
    "/v stays: nothing says that it is the agent's.",
  ]);
  expect(belongingsView.show?.(nothing, context)).toEqual(["With the agent coder go nothing else. What it did stays in the log."]);
});

test("files that could not be removed are told, and the command fails", () => {
  const folders = [{ folder: "/w", conversations: 0, problem: "EACCES" }];
  const answer = { agent: "coder", removed: { ...nothing, conversations: 0 }, folders };
  expect(removedAgentView.show?.(answer, context)).toEqual([
    "Deleted the agent coder with nothing else, and no conversation in /w.",
    { note: "The agent is deleted, but not all its files (EACCES). Remove /w by hand.", always: true },
  ]);
  expect(removedAgentView.ends?.(answer)).toBe("failed");
  const { folders: _, ...elsewhere } = answer;
  expect(removedAgentView.show?.({ ...elsewhere, removed: { ...nothing, conversations: 3 } }, context)).toEqual([
    "Deleted the agent coder with nothing else, and 3 conversations.",
  ]);
  expect(removedAgentView.json?.(elsewhere, context)).toMatchObject({ agent: "coder", left: [] });
});
