import type { Clock } from "@toolwright/engine/ports";
import type { AuthAnswer } from "./auth-caller.ts";
import { authPath, type SignInOptions } from "./auth-options.ts";

const longest = 200;

interface Telling {
  readonly options: Pick<SignInOptions, "addressHeader" | "log">;
  readonly clock: Clock;
}

/** A line of the operator's log on somebody who was not let in: when, what, from where. */
function tellRefusal({ options, clock }: Telling, { headers }: Pick<Request, "headers">, what: string): void {
  const address = headers.get(options.addressHeader) ?? "an unknown address";
  options.log("warn", `${new Date(clock.now()).toISOString()} ${what} from ${address}`);
}

/** The handler, with a line in the log for each request of a program that ends on the page for errors. */
export function tellRefusals(handler: (request: Request) => Promise<Response>, telling: Telling): typeof handler {
  return async (request) => {
    const response = await handler(request);
    const location = URL.parse(response.headers.get("location") ?? "", request.url);
    const error = location?.pathname === "/auth/error" ? location.searchParams.get("error") : null;
    const asked = new URL(request.url);
    if (error === null || asked.pathname !== `${authPath}/oauth2/authorize`) return response;
    const named = (name: string) => JSON.stringify((asked.searchParams.get(name) ?? "").slice(0, longest));
    tellRefusal(
      telling,
      request,
      `Authorization refused (${error.slice(0, longest)}): client ${named("client_id")}, redirect ${named("redirect_uri")},`,
    );
    return response;
  };
}

interface Typed {
  readonly email: string;
  readonly password: string;
  readonly oauthQuery: string;
}

/** The sign-in, with a line in the log for each that was refused. */
export function tellWrongPasswords(
  signIn: (request: Request, typed: Typed) => Promise<AuthAnswer>,
  telling: Telling,
): (request: Request, typed: Typed) => Promise<AuthAnswer> {
  return async (request, typed) => {
    const answer = await signIn(request, typed);
    const why = answer.status === 429 ? "too many attempts" : "wrong address or password";
    if (answer.status >= 400 && !answer.questionClosed)
      tellRefusal(telling, request, `Sign-in refused (${why}): ${JSON.stringify(typed.email.slice(0, longest))}`);
    return answer;
  };
}
