import type { ReactNode } from "react";
import classes from "./empty.module.css";

interface EmptyProps {
  readonly title: string;
  /** What would be here. */
  readonly children: ReactNode;
  /** The one next act. */
  readonly act?: ReactNode;
}

export function Empty({ title, children, act }: EmptyProps) {
  return (
    <div className={classes.empty}>
      <h2>{title}</h2>
      <p className="dim">{children}</p>
      {act}
    </div>
  );
}
