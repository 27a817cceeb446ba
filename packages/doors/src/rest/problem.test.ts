import { errorCodes, ToolwrightError } from "@toolwright/engine";
import { describe, expect, it } from "vitest";
import { type Problem, problem, problemOf } from "./problem.ts";
import { type ProblemCode, problemCodes, problemGroups, problemStatuses } from "./problem-codes.ts";

const bodyOf = async (response: Response) => (await response.json()) as Problem;

describe("a problem", () => {
  it.each(Object.keys(problemStatuses) as ProblemCode[])("of the code %s has a status, a title and a type", async (code) => {
    const response = problem({ code, message: "What happened." });
    expect(response.status).toBe(problemStatuses[code]);
    expect(response.status).toBeGreaterThanOrEqual(400);
    expect(response.headers.get("content-type")).toBe("application/problem+json");
    const body = await bodyOf(response);
    expect(body).toMatchObject({ type: `urn:toolwright:problem:${code}`, status: response.status, detail: "What happened.", code });
    expect(body.title).toMatch(/^[A-Z].*\.$/);
  });

  it("has every code of the engine, and each in one group that says what to do", () => {
    expect(Object.keys(problemStatuses)).toEqual(expect.arrayContaining(Object.keys(errorCodes)));
    const groups = problemGroups();
    expect(groups.flatMap(({ codes }) => codes).sort()).toEqual(Object.keys(problemCodes).sort());
    for (const { status, remedy, codes } of groups) {
      expect(remedy).toMatch(/^[A-Z].*\.$/);
      expect(codes.map((code) => problemStatuses[code])).toEqual(codes.map(() => status));
    }
  });

  it("tells places of an input as issues, and other details as they are", async () => {
    const issues = [{ path: "/a/0", message: "expected a text." }];
    expect(await bodyOf(problemOf(new ToolwrightError("invalid_input", "No.", { details: issues })))).toMatchObject({
      issues: [{ pointer: "/a/0", message: "expected a text." }],
    });
    const conflict = await bodyOf(problemOf(new ToolwrightError("policy_conflict", "No.", { details: { read: 0, newest: 1 } })));
    expect(conflict).toMatchObject({ details: { read: 0, newest: 1 } });
    expect(conflict.issues).toBeUndefined();
  });
});
