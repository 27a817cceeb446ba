import { Button, PasswordInput } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import { keepKey } from "../api/client.ts";
import { signedInPerson } from "../api/person.ts";
import { wordsOf } from "../api/words.ts";
import classes from "./signed-out.module.css";
import { useServerFacts } from "./use-server-facts.ts";

/** Nobody is signed in here: with an account where the server has those, else with a key. */
export function SignedOut({ error, onKey }: { readonly error: unknown; readonly onKey: () => void }) {
  const [key, setKey] = useState("");
  const { peopleSignIn } = useServerFacts();
  const { data: person } = useQuery({ ...signedInPerson, enabled: peopleSignIn === true });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    keepKey(key.trim());
    onKey();
  };
  const back = encodeURIComponent(location.pathname + location.search);
  return (
    <main className={classes.box}>
      <h1>Sign in to Toolwright</h1>
      <p className="dim">{location.host}</p>
      {person && (
        <p>
          You are signed in as {person.name}. <a href="/auth/account">Choose a tenant on your account's page</a>, or give another access
          token.
        </p>
      )}
      {peopleSignIn && !person && (
        <p>
          <a href={`/auth/sign-in?return=${back}`}>Sign in with your account</a>, or give an access token.
        </p>
      )}
      <p className="dim">The page keeps a token until the tab closes.</p>
      <form onSubmit={submit}>
        <PasswordInput label="Access token or API key" value={key} onChange={(event) => setKey(event.target.value)} />
        <p className="small dim" role="status">
          {wordsOf(error)}
        </p>
        <Button type="submit" disabled={key.trim() === ""}>
          Continue
        </Button>
      </form>
    </main>
  );
}
