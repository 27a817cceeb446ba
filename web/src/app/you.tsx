import { useQuery } from "@tanstack/react-query";
import { Search, UserRound } from "lucide-react";
import { lazy, Suspense, useState } from "react";
import { hasKey } from "../api/client.ts";
import { signedInPerson } from "../api/person.ts";
import { mod } from "./mod-key.ts";
import { useMe } from "./use-me.ts";
import { useServerFacts } from "./use-server-facts.ts";
import classes from "./you.module.css";

const YouMenu = lazy(async () => ({ default: (await import("./you-menu.tsx")).YouMenu }));

interface YouProps {
  readonly onFind: () => void;
  readonly onKeys: () => void;
}

/** Who the page acts for, and what one looks for. */
export function You({ onFind, onKeys }: YouProps) {
  const { me } = useMe();
  const { peopleSignIn } = useServerFacts();
  const { data: person } = useQuery({ ...signedInPerson, enabled: peopleSignIn === true && !hasKey() });
  const [isOpen, setOpen] = useState(false);
  const button = (
    <button type="button" className={classes.find} aria-haspopup="menu" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
      <UserRound size={16} aria-hidden />
      <span>{person?.name ?? me?.actor.id ?? "You"}</span>
    </button>
  );
  return (
    <div className={classes.you}>
      <button type="button" className={classes.find} onClick={onFind}>
        <Search size={16} aria-hidden />
        <span>Find</span>
        <kbd aria-hidden>{mod} K</kbd>
      </button>
      {isOpen ? (
        <Suspense fallback={button}>
          <YouMenu onKeys={onKeys} onClose={() => setOpen(false)}>
            {button}
          </YouMenu>
        </Suspense>
      ) : (
        button
      )}
    </div>
  );
}
