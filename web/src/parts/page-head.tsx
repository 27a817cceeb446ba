import { type ReactNode, useEffect } from "react";
import classes from "./page-head.module.css";

/** The title of the page and of its tab, with what can be done from there. */
export function PageHead({ title, children, tab }: { readonly title: ReactNode; readonly children?: ReactNode; readonly tab?: string }) {
  const words = tab ?? (typeof title === "string" ? title : "Toolwright");
  useEffect(() => {
    document.title = words === "Toolwright" ? words : `${words} · Toolwright`;
  }, [words]);
  return (
    <div className={classes.head}>
      <h1>{title}</h1>
      <div className={classes.acts}>{children}</div>
    </div>
  );
}
