const byLink = "The link is the proof: whoever has it is invited, or sets the password.";
const byPerson = "It goes by the cookie or password of a person.";
const byToken = "It goes by codes and tokens, which are the proof, and by programs, which belong to no tenant.";
const ofCaller = "It shows the tools of tools.list and the operations that the caller may use; both are shown among the functions.";
const ofNobody = "It tells the same to everybody.";

/** Routes and methods that take nothing which may be another tenant's. */
export const otherRoutes: Readonly<Record<string, string>> = {
  "GET *": "Pages of the console and their files, which hold nobody's things: what they show they ask the API for.",
  "GET /": ofNobody,
  "GET /health": ofNobody,
  "GET /healthz": ofNobody,
  "GET /readyz": ofNobody,
  "GET /metrics": "No label names a tenant; a token of its own, or this machine alone.",
  "GET the description of the resource": ofNobody,
  "GET /api/openapi.json": ofCaller,
  "GET /api/reference": ofCaller,
  "GET /api/reference/operations/{tag}": ofCaller,
  "GET /api/reference/problems": ofNobody,
  "GET /api/reference/tools/{name}": ofCaller,
  "GET /auth/accept": byLink,
  "GET /auth/api/.well-known/oauth-authorization-server": ofNobody,
  "GET /.well-known/oauth-authorization-server/auth/api": ofNobody,
  "GET /auth/api/callback/oidc": byToken,
  "GET /auth/api/oauth2/authorize": byToken,
  "GET /auth/consent": byToken,
  "GET /auth/error": ofNobody,
  "GET /auth/reset": byLink,
  "GET /auth/sign-in": ofNobody,
  "GET /auth/person": byPerson,
  "POST /auth/accept": byLink,
  "POST /auth/api/oauth2/register": byToken,
  "POST /auth/api/oauth2/revoke": byToken,
  "POST /auth/api/oauth2/token": byToken,
  "POST /auth/oidc": ofNobody,
  "POST /auth/password": byPerson,
  "POST /auth/reset": byLink,
  "POST /auth/sessions": byPerson,
  "POST /auth/sign-in": byPerson,
  "POST /auth/sign-out": byPerson,
  "POST /auth/tenant": byPerson,
  "tools/list": "It gives scope.list, which is among the functions of the store.",
  "resources/templates/list": ofNobody,
};

/** Methods that the door has for those who give it more than this server does. */
export const notServed: readonly string[] = ["completion/complete", "resources/subscribe", "resources/unsubscribe"];

/** Cases whose things all people of a tenant have in common, each with the reason. */
export const inCommon: Readonly<Record<string, string>> = {
  "prompts/get": "Skills are of the tenant, and of those of its agents to which they are assigned.",
  "prompts/list": "Skills are of the tenant, and of those of its agents to which they are assigned.",
  "POST /auth/consent": "It is given the name of a tenant, to which both people belong.",
};
