import { operations } from "@toolwright/engine/subjects";
import { describe, expect, it } from "vitest";
import { writeRequest } from "./write-request.ts";

describe("the request for an operation", () => {
  it("has members of the path there, and nowhere else", () => {
    expect(writeRequest("approvals.answer", { id: "a/b c", outcome: { kind: "approve" } })).toEqual({
      method: "POST",
      path: "/approvals/a%2Fb%20c/answer",
      body: '{"outcome":{"kind":"approve"}}',
    });
    expect(writeRequest("secrets.remove", { name: "token", agent: "helper" })).toEqual({
      method: "DELETE",
      path: "/secrets/token?agent=helper",
      body: undefined,
    });
  });

  it("leaves out what is undefined, and repeats what is a list", () => {
    expect(writeRequest("jobs.list", { states: ["done", "failed"], tool: undefined, limit: 5 }).path).toBe(
      "/jobs?states=done&states=failed&limit=5",
    );
    expect(writeRequest("tools.list", {}).path).toBe("/tools");
  });

  it.each(operations)("goes where $name is served", ({ name: operation, route: { method, path } }) => {
    const members = Array.from(path.matchAll(/\{(\w+)\}/g), ([, name = ""]) => [name, "x"] as const);
    expect(writeRequest(operation, Object.fromEntries(members))).toMatchObject({ method, path: path.replace(/\{\w+\}/g, "x") });
  });
});
