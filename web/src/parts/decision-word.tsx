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

/** Why a tool is offered to nobody yet. */
export function NeedsSecrets({ names }: { readonly names: readonly string[] }) {
  const words = `Needs ${names.join(", ")}`;
  return (
    <span className={`${classes.word} ${classes.asks} ${classes.needs}`} title={`Misconfigured. ${words}`}>
      <TriangleAlert size={13} aria-hidden />
      <span>{words}</span>
    </span>
  );
}
