import { expect, test } from "vitest";
import { usualLimits } from "./document.ts";
import { readDocument } from "./read-document.ts";

const read = async (name: string, lines: readonly string[]) => {
  const { kind, title, parts, notes } = await readDocument(Uint8Array.from(Buffer.from(lines.join("\r\n"), "latin1")), {
    name,
    limits: usualLimits,
  });
  return { kind, title, text: parts.map(({ text }) => text).join("\n"), notes };
};
const multipart = (kind: string) => ["MIME-Version: 1.0", `Content-Type: multipart/${kind}; boundary="cut"`, ""];

test("a message is its subject, people, date and words, in whatever form each is written", async () => {
  const lines = [
    "From: =?utf-8?Q?J=C3=BCrgen?= <j@example.org>",
    "To: Ann <ann@example.org>, b@example.org",
    "Date: Mon, 2 Mar 2026 10:00:00 +0100",
    "Subject: =?UTF-8?B?TsOkY2hzdGUgU2Nocml0dGU=?=",
    ...multipart("alternative"),
    ...[
      "--cut",
      "Content-Type: text/plain; charset=iso-8859-1",
      "Content-Transfer-Encoding: quoted-printable",
      "",
      "Wir sehen uns in K=F6ln.",
      "",
    ],
    ...["--cut", "Content-Type: text/html; charset=utf-8", "", "<p>Wir sehen uns in <b>K&ouml;ln</b>.</p>", "", "--cut--", ""],
  ];
  expect(await read("a.eml", lines)).toEqual({
    kind: "mail",
    title: "Nächste Schritte",
    text: "# Nächste Schritte\n\nFrom: Jürgen <j@example.org>\nTo: Ann <ann@example.org>, b@example.org\nDate: 2026-03-02T09:00:00.000Z\n\nWir sehen uns in Köln.",
    notes: [],
  });
});

test("a message whose plain form says less is read from its HTML", async () => {
  const lines = [
    ...["From: a@example.org", "Subject: Prices", ...multipart("alternative")],
    ...["--cut", "Content-Type: text/plain", "", "See the HTML.", ""],
    ...["--cut", "Content-Type: text/html", "", "<h2>Prices</h2><table><tr><th>Bolt<th>Nut<tr><td>1.20<td>0.40</table>", "", "--cut--", ""],
  ];
  expect((await read("a.eml", lines)).text).toBe(
    "# Prices\n\nFrom: a@example.org\n\n## Prices\n\n| Bolt | Nut |\n| --- | --- |\n| 1.20 | 0.40 |",
  );
});

test("what is attached to a message is named in a note", async () => {
  const lines = [
    ...["From: a@example.org", "Subject: Plan", ...multipart("mixed")],
    ...["--cut", "Content-Type: text/plain", "", "The plan is attached.", ""],
    ...[
      "--cut",
      'Content-Type: application/pdf; name="plan.pdf"',
      'Content-Disposition: attachment; filename="plan.pdf"',
      "",
      "x",
      "--cut--",
      "",
    ],
  ];
  const { notes } = await read("a.eml", lines);
  expect(notes).toEqual(["Attachments of the message are left out (1: plan.pdf). Save them as files and read each."]);
});

test("a mailbox is all of its messages", async () => {
  const one = (subject: string) => [
    "From a@example.org Mon Mar  2 10:00:00 2026",
    "From: a@example.org",
    `Subject: ${subject}`,
    "",
    `Words of ${subject}.`,
    "",
  ];
  expect((await read("all.mbox", [...one("One"), ...one("Two")])).text).toMatch(
    /# One[\s\S]*Words of One\.[\s\S]*# Two[\s\S]*Words of Two\./,
  );
});

test("a page that a browser saved with its pictures is the page", async () => {
  const lines = [
    ...["From: <Saved by Blink>", "Subject: Timetable", ...multipart("related")],
    ...[
      "--cut",
      "Content-Type: text/html",
      "Content-Transfer-Encoding: quoted-printable",
      "",
      "<h1>Timetable</h1><p>Gleis f=C3=BCnf</p>",
      "",
    ],
    ...[
      "--cut",
      "Content-Type: image/png",
      "Content-Location: https://example.com/x.png",
      "Content-Transfer-Encoding: base64",
      "",
      "iVBORw0KGgo=",
      "--cut--",
      "",
    ],
  ];
  expect(await read("a.mhtml", lines)).toMatchObject({ title: "Timetable", text: "# Timetable\n\nGleis fünf", notes: [] });
});

test("a memo that begins like a message is a text", async () => {
  expect(await read("memo.txt", ["From: the office", "To: all", "", "We close at five."])).toMatchObject({ kind: "text" });
});
