import { useEffect, useState } from "react";
import classes from "./waiting.module.css";

const patienceMs = 150;

/** Where rows will stand: shown only for what takes long enough to be waited for. */
export function Waiting({ rows = 6 }: { readonly rows?: number }) {
  const [isShown, show] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => show(true), patienceMs);
    return () => clearTimeout(timer);
  }, []);
  return (
    <div role="status" aria-label="Loading" className={classes.rows}>
      {isShown && Array.from({ length: rows }, (_, row) => `row ${row}`).map((row) => <div key={row} className={classes.row} />)}
    </div>
  );
}
