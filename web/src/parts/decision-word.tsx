import { CircleSlash, Hand, Play, TriangleAlert } from "lucide-react";
import classes from "./decision-word.module.css";

export type Effect = "allow" | "ask" | "deny";

const kinds = {
  allow: { icon: Play, words: "Runs", className: classes.runs },
  ask: { icon: Hand, words: "Asks", className: classes.asks },
  deny: { icon: CircleSlash, words: "Blocked", className: classes.blocked },
} as const;

/** A decision as word and sign; the colour only repeats them. */
export function DecisionWord({ effect, words }: { readonly effect: Effect; readonly words?: string }) {
  const { icon: Icon, words: usual, className } = kinds[effect];
  return (
    <span className={`${classes.word} ${className}`}>
      <Icon size={13} aria-hidden />
      {words ?? usual}
    </span>
  );
}

/** Why a tool is offered to nobody yet: the secrets that it needs, or a sentence on what else is not set up. */
export function NeedsSetup({ secrets, reason }: { readonly secrets: readonly string[]; readonly reason: string }) {
  const needed = `Needs ${secrets.join(", ")}`;
  const [words, title] = secrets.length > 0 ? [needed, `Misconfigured. ${needed}`] : ["Misconfigured", reason];
  return (
    <span className={`${classes.word} ${classes.asks} ${classes.needs}`} title={title}>
      <TriangleAlert size={13} aria-hidden />
      <span>{words}</span>
    </span>
  );
}
