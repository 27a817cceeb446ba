import { Link, Outlet } from "@tanstack/react-router";
import { Activity, BookOpen, ChartNoAxesColumn, Hand, MessagesSquare, ScrollText, Settings, Wrench } from "lucide-react";
import { Fragment, lazy, Suspense, useRef, useState } from "react";
import { nameOf } from "../api/queries.ts";
import { isSignedOut } from "../api/words.ts";
import { Failure } from "../parts/failure.tsx";
import { LiveLine } from "./live-line.tsx";
import { useOtherTabs } from "./other-tabs.ts";
import classes from "./shell.module.css";
import { useHotkeys } from "./use-hotkeys.ts";
import { useLive } from "./use-live.ts";
import { startAnew, useMe } from "./use-me.ts";
import { useWaiting } from "./use-waiting.ts";
import { You } from "./you.tsx";

// Loaded when somebody asks for it.
const KeysHelp = lazy(async () => ({ default: (await import("./keys-help.tsx")).KeysHelp }));
const Moved = lazy(async () => ({ default: (await import("./moved.tsx")).Moved }));
const SignedOut = lazy(async () => ({ default: (await import("./signed-out.tsx")).SignedOut }));
const Palette = lazy(async () => ({ default: (await import("./palette.tsx")).Palette }));

const pages = [
  { to: "/tools", name: "Tools", icon: Wrench },
  { to: "/chat", name: "Chat", icon: MessagesSquare },
  { to: "/memory", name: "Memory", icon: BookOpen },
  { to: "/approvals", name: "Approvals", icon: Hand },
  { to: "/activity", name: "Activity", icon: Activity },
  { to: "/usage", name: "Usage", icon: ChartNoAxesColumn },
  { to: "/policy", name: "Policy", icon: ScrollText },
  { to: "/admin", name: "Admin", icon: Settings },
] as const;

/** What surrounds every page: where one can go, what is live, who one is. */
export function Shell() {
  const { me, movedTo, error, refetch } = useMe();
  const person = me && nameOf(me);
  const first = useRef(person);
  first.current ??= person;
  const [overlay, setOverlay] = useState<"palette" | "keys">();
  const live = useLive(me !== undefined);
  const waiting = useWaiting(me !== undefined);
  useOtherTabs();
  useHotkeys({ palette: () => setOverlay("palette"), keys: () => setOverlay("keys") });
  if (isSignedOut(error))
    return (
      <Suspense>
        <SignedOut error={error} onKey={startAnew} />
      </Suspense>
    );
  const close = () => setOverlay(undefined);
  return (
    <div className={classes.shell}>
      <a className={classes.skip} href="#content">
        Skip to the page
      </a>
      <header className={classes.side}>
        <Link to="/" className={classes.mark}>
          Toolwright
        </Link>
        <nav aria-label="Pages" className={classes.pages}>
          {pages.map(({ to, name, icon: Icon }) => (
            <Link key={to} to={to} className={classes.page} activeProps={{ "aria-current": "page" }}>
              <Icon size={16} aria-hidden />
              <span>{name}</span>
              {name === "Approvals" && waiting > 0 && (
                <span className={classes.count}>
                  {waiting}
                  <span className="hidden-visually"> waiting</span>
                </span>
              )}
            </Link>
          ))}
        </nav>
        <You onFind={() => setOverlay("palette")} onKeys={() => setOverlay("keys")} />
      </header>
      <main id="content" className={classes.main} tabIndex={-1}>
        <LiveLine live={live} />
        {me && movedTo !== undefined && (
          <Suspense>
            <Moved from={me.tenant} to={movedTo} onBack={() => void refetch()} />
          </Suspense>
        )}
        <div hidden={movedTo !== undefined} inert={movedTo !== undefined}>
          {error && !me ? (
            <Failure error={error} retry={() => void refetch()} />
          ) : (
            // What somebody typed or opened in a page is theirs alone.
            <Fragment key={person === first.current ? undefined : person}>
              <Outlet />
            </Fragment>
          )}
          <div id="overlays" />
        </div>
        <Suspense>
          {overlay === "palette" && <Palette close={close} />}
          {overlay === "keys" && <KeysHelp close={close} />}
        </Suspense>
      </main>
    </div>
  );
}
