import { Button } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { visibleText } from "../../api/client.ts";
import { type Item, reading, write } from "../../api/queries.ts";
import { useUrl } from "../../app/use-url.ts";
import { Failure } from "../../parts/failure.tsx";
import { FormDialog } from "../../parts/form-dialog.tsx";
import { Act, PartList, useDialog } from "../../parts/part-list.tsx";
import { Waiting } from "../../parts/waiting.tsx";
import { When } from "../../parts/when.tsx";
import classes from "./admin-page.module.css";

type Browser = Item<"browsers.list">;

/** Pages that agents have open: seen as they are, and closed. */
export function BrowsersPart() {
  const [dialog, open] = useDialog();
  const [{ session: shown }, change] = useUrl();
  const close = (browser: Browser) => (leave: () => void) => (
    <FormDialog
      title={`Close ${visibleText(browser.title)}?`}
      act="Close browser"
      fields={[]}
      close={leave}
      submit={async () => {
        // First, or a look comes to a page that is closed.
        if (shown === browser.session) change({ session: undefined });
        await write("browsers.close", { session: browser.session });
      }}
    >
      <p>All pages of the session close, with their logins. Its next call can open new ones.</p>
    </FormDialog>
  );
  return (
    <>
      <PartList
        of="browsers.list"
        label="Browsers"
        empty="Pages that agents open with browser_open on this server appear here."
        keyOf={({ session }) => session}
        columns={[
          { name: "Title", show: ({ title }) => visibleText(title), by: ({ title }) => title },
          { name: "URL", show: ({ url }) => <code>{visibleText(url)}</code>, by: ({ url }) => url },
          { name: "Agent", show: ({ agent }) => agent && <code>{agent}</code>, by: ({ agent }) => agent },
          { name: "Opened", show: ({ openedAt }) => <When at={openedAt} />, by: ({ openedAt }) => openedAt },
          { name: "Used", show: ({ usedAt }) => <When at={usedAt} />, by: ({ usedAt }) => usedAt },
        ]}
        acts={(row) => (
          <>
            <Act name="Watch" thing={row.title} onClick={() => change({ session: row.session })} />
            <Act name="Close" thing={row.title} onClick={() => open(close(row))} />
          </>
        )}
      />
      {shown !== undefined && <LivePage key={shown} session={shown} leave={() => change({ session: undefined })} />}
      {dialog}
    </>
  );
}

interface LivePageProps {
  readonly session: string;
  readonly leave: () => void;
}

const lookMs = 1_000;

/** What the page looks like, once a second while somebody looks. */
function LivePage({ session, leave }: LivePageProps) {
  const { data, error, refetch } = useQuery({
    ...reading("browsers.view", { session }),
    // Of a hidden tab it asks for none.
    refetchInterval: ({ state }) => (state.status === "error" ? false : lookMs),
    gcTime: 0,
  });
  const title = visibleText(data?.title ?? "");
  return (
    <section className={classes.section} aria-label="The page now">
      <h2>{title || "The page now"}</h2>
      {error ? <Failure error={error} retry={() => void refetch()} /> : !data && <Waiting />}
      {data && !error && (
        <>
          <p className="dim small">{visibleText(data.url)}</p>
          <img className={classes.live} src={`data:image/jpeg;base64,${data.jpeg}`} alt={`What ${title || "the page"} looks like now`} />
        </>
      )}
      <p>
        <Button variant="default" onClick={leave}>
          Stop watching
        </Button>
      </p>
    </section>
  );
}
