import { CircleCheck, CircleHelp, CircleSlash, Hand, LoaderCircle, TriangleAlert } from "lucide-react";
import classes from "../parts/decision-word.module.css";

const kinds = {
  done: { words: "Done", icon: CircleCheck, className: classes.runs },
  success: { words: "Done", icon: CircleCheck, className: classes.runs },
  running: { words: "Running", icon: LoaderCircle, className: classes.asks },
  pending: { words: "Waits", icon: Hand, className: classes.asks },
  unknown: { words: "Unknown", icon: CircleHelp, className: classes.asks },
  failed: { words: "Failed", icon: TriangleAlert, className: classes.blocked },
  error: { words: "Failed", icon: TriangleAlert, className: classes.blocked },
  denied: { words: "Denied", icon: CircleSlash, className: classes.blocked },
  cancelled: { words: "Cancelled", icon: CircleSlash, className: classes.blocked },
} as const;

/** How a call stands, as word and sign. */
export function StatusWord({ status }: { readonly status: keyof typeof kinds }) {
  const { words, icon: Icon, className } = kinds[status];
  return (
    <span className={`${classes.word} ${className}`}>
      <Icon size={13} aria-hidden />
      {words}
    </span>
  );
}
