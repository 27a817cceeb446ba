const catalogue = "Tools are of the tenant: its people have the same ones, as far as their permissions go.";
const ofTheBrowser =
  "It asks for the session as artifacts.list does, which is shown, and then the browser, which pages.integration.test.ts has.";
const looksNothingUp = "It is given what it works with, and looks nothing up.";
const grantForAll = "A grant for the whole tenant holds for each of its people, who see it; to end it needs approvals:answer.";

/**
 * Functions whose things all people of a tenant have in common, or that are of nobody, each with the reason; words in brackets name one way of
 * asking. What needs a permission that members do not have needs no line: who manages it manages all of the tenant's.
 */
export const ofEverybody: Readonly<Record<string, string>> = {
  "scope.child": "It gives a scope of the same person, with no more than that one may.",
  "scope.explain": catalogue,
  "scope.find": catalogue,
  "scope.follow": "It claims a key of its own caller, and looks nothing up.",
  "scope.grant": "Tools are of the tenant; whom a grant is for, the person says who gives it.",
  "scope.hasSensitiveOutput": catalogue,
  "scope.hideInput": catalogue,
  "scope.invoke": catalogue,
  "scope.invokeNamed": catalogue,
  "scope.judge": catalogue,
  "scope.list": catalogue,
  "scope.noteEnding": "It writes an event into the log of the caller's own session, and looks nothing up.",
  "scope.prepare": catalogue,
  "scope.resumeFollowed": looksNothingUp,
  "scope.survey": "It tells members nothing: it needs catalogue:explain.",
  "scope.why": catalogue,
  "operations.browsers.close": ofTheBrowser,
  "operations.browsers.list": ofTheBrowser,
  "operations.browsers.view": ofTheBrowser,
  "operations.changes.watch":
    "It takes nothing, and administration.test.ts follows it for two people: each hears of their own acts, and that approvals come and go.",
  "operations.grants.create": "Tools are of the tenant; whom a grant is for, the person says who gives it.",
  "operations.grants.list (for everybody)": grantForAll,
  "operations.grants.revoke (for everybody)": grantForAll,
  "operations.policy.why": catalogue,
  "operations.principals.current": "It tells those who ask who they are, and takes nothing.",
  "operations.rooms.create (with an agent)": "Agents are of the tenant; the ids of people that it takes are looked up nowhere.",
  "operations.sessions.create": "It gives a new session of the person's own; the sweep gives it the names of others' sessions.",
  "operations.tools.get": catalogue,
  "operations.tools.list": catalogue,
  "operations.tools.report": catalogue,
  "operations.tools.schema": catalogue,
  "operations.tools.search": catalogue,
};
