import type { Word } from "../words/decode-word.ts";
import { type Destination, type NamedFile, readUrl, unnamed } from "./destination.ts";
import { has, lastValue, type NetworkProgram, present } from "./network-program.ts";
import { networkOptions, type ScannedNetwork } from "./scan-network-options.ts";

/** curl reads `{a,b}` and `[1-9]` in a URL as several; an IPv6 address is none. */
const curlList = /[{}]|\[(?![0-9a-f:.]+\](?:[:/?#]|$))|(?<!^|[/@])\[/i;
/** The scheme that curl takes for a host without one. */
const curlGuess = /^(ftp|dict|ldap|imap|smtp|pop3)\./i;

function curlUrl(word: Word, scanned: ScannedNetwork): Destination | undefined {
  if (!has(scanned, "-g --globoff") && curlList.test(word.text))
    return unnamed(`${JSON.stringify(word.text)} stands for several destinations`);
  if (word.text.startsWith("@")) return unnamed(`${JSON.stringify(word.text)} is a list of destinations in a file`);
  return readUrl(word, lastValue(scanned, "--proto-default") ?? curlGuess.exec(word.text)?.[1]?.toLowerCase() ?? "http");
}

export const curl: NetworkProgram = {
  reason: "Reaches each URL. Settings of its own (-K), proxies, other addresses for a name, redirects and lists send it elsewhere.",
  examples: {
    match: ["curl https://api.example.org/v1", "curl -sS -o out.json api.example.org", "curl --version", "curl -g 'http://[2001:db8::1]/'"],
    notMatch: [
      "curl -L https://api.example.org/",
      "curl -K settings",
      "curl 'https://{a,b}.example.org/'",
      "curl -x p:1 https://a.example.org",
    ],
  },
  options: networkOptions(`
    -s -S -f -i -I -v -k -g -G -j -l -n -N -p -q -a -B -J -M -O -R -V -Z -0 -1 -2 -3 -4 -6 -# -: -L!
    --silent --show-error --fail --fail-with-body --fail-early --include --head --verbose --insecure --globoff --get --junk-session-cookies
    --list-only --netrc --netrc-optional --no-buffer --buffer --proxytunnel --disable --append --use-ascii --remote-header-name --manual
    --remote-name --remote-name-all --remote-time --version --parallel --parallel-immediate --http0.9 --http1.0 --http1.1 --http2
    --http2-prior-knowledge --http3 --http3-only --tlsv1 --tlsv1.0 --tlsv1.1 --tlsv1.2 --tlsv1.3 --sslv2 --sslv3 --ssl --ssl-reqd --ipv4 --ipv6
    --progress-bar --progress-meter --next --compressed --anyauth --basic --digest --negotiate --ntlm --create-dirs --crlf --path-as-is --raw
    --post301 --post302 --post303 --retry-all-errors --retry-connrefused --clobber --keepalive --sessionid --alpn --npn --tcp-fastopen
    --tcp-nodelay --trace-time --trace-ids --styled-output --xattr --cert-status --remove-on-error --ignore-content-length --tr-encoding
    --disallow-username-in-url --false-start --form-escape --haproxy-protocol --suppress-connect-headers --location! --location-trusted!
    --metalink! -m= -A= -C= -e= -r= -t= -u= -U= -X= -y= -Y= -z= --max-time= --connect-timeout= --user-agent= --continue-at= --referer= --range=
    --telnet-option= --user= --proxy-user= --request= --speed-time= --speed-limit= --time-cond= --retry= --retry-delay= --retry-max-time=
    --max-redirs= --max-filesize= --limit-rate= --rate= --oauth2-bearer= --data-raw= --form-string= --ciphers= --curves= --tls-max=
    --tls13-ciphers= --pass= --cert-type= --key-type= --proto= --proto-redir= --proto-default= --noproxy= --request-target= --expect100-timeout=
    --happy-eyeballs-timeout-ms= --keepalive-time= --local-port= --parallel-max= --aws-sigv4= --login-options= --delegation= --mail-auth=
    --mail-from= --mail-rcpt= --service-name= --create-file-mode= --pinnedpubkey= --tlsuser= --tlspassword= --url-query=@
    --url=url -d=@ --data=@ --data-ascii=@ --data-binary=@ --data-urlencode=@ --json=@ -H=@ --header=@ -w=@ --write-out=@ -F=form --form=form
    -o=write --output=write --output-dir=write -D=write --dump-header=write -c=write --cookie-jar=write --trace=write --trace-ascii=write
    --stderr=write --etag-save=write --libcurl=write --hsts=write --alt-svc=write -T=read --upload-file=read -b= --cookie= -E=read --cert=read
    --key=read --pubkey=read --cacert=read --capath=read --crlfile=read --etag-compare=read --netrc-file=read -K=list --config=list
    -x=! --proxy=! --preproxy=! --proxy1.0=! --socks4=! --socks4a=! --socks5=! --socks5-hostname=! --resolve=! --connect-to=! --doh-url=!
    --dns-servers=! --dns-interface=! --dns-ipv4-addr=! --dns-ipv6-addr=! --interface=! --unix-socket=! --abstract-unix-socket=! -P=! --ftp-port=!
    -Q=! --quote=! --variable=! --ipfs-gateway=! --proxy-header=@`),
  scheme: "http",
  files: (scanned) => {
    const cookies = lastValue(scanned, "-b --cookie");
    return [
      ...(has(scanned, "-O --remote-name --remote-name-all") ? storedFiles(scanned, lastValue(scanned, "--output-dir")) : []),
      ...(has(scanned, "-n --netrc --netrc-optional") ? [{ path: "~/.netrc", access: "read" as const }] : []),
      ...(cookies && !cookies.includes("=") ? [{ path: cookies, access: "read" as const }] : []),
    ];
  },
  reaches: (scanned) => [
    ...present(scanned.operands.map((word) => curlUrl(word, scanned))),
    ...present(
      scanned.targets.filter((word) => curlList.test(word.text) || word.text.startsWith("@")).map((word) => curlUrl(word, scanned)),
    ),
  ],
};

/** The name under which the last part of a URL's path is stored. */
function storedName({ text }: Word): string {
  return /^(?:[a-z][a-z0-9+.-]*:\/{1,3})?[^/]+\/(?:[^?#]*\/)?([^/?#]+)/i.exec(text)?.[1] ?? "index.html";
}

function storedFiles({ operands, targets }: ScannedNetwork, folder: string | undefined): readonly NamedFile[] {
  return [...operands, ...targets].map((word) => ({ path: folder ? `${folder}/${storedName(word)}` : storedName(word), access: "write" }));
}

export const wget: NetworkProgram = {
  reason: "Reaches each URL, and where that redirects to unless --max-redirect=0; lists, settings and recursion go further.",
  examples: {
    match: ["wget --max-redirect=0 https://a.example.org/x", "wget --version", "wget -qO- --max-redirect 0 a.example.org"],
    notMatch: [
      "wget https://a.example.org/x",
      "wget -i list.txt",
      "wget -r --max-redirect=0 https://a.example.org/",
      "wget -e use_proxy=on b.example",
    ],
  },
  options: networkOptions(`
    -V -h -b -d -q -v -F -c -N -S -4 -6 -x -E -L -nv -nc -nd -nH -np --version --help --background --debug --quiet --verbose --force-html --config=list
    --clobber --continue --timestamping --server-response --spider --show-progress --proxy --netrc --dns-cache --cache --cookies --iri
    --inet4-only --inet6-only --directories --host-directories --force-directories --adjust-extension --ignore-length --save-headers
    --keep-session-cookies --content-disposition --content-on-error --auth-no-challenge --https-only --check-certificate --hsts --parent
    --unlink --xattr --random-wait --retry-connrefused --relative --glob --delete-after --http-keep-alive --passive-ftp --verbose
    -e=! --execute=! --use-askpass=! -r! --recursive! -m! --mirror! -p! --page-requisites! -k -K -H! --span-hosts! --trust-server-names
    -i=list --input-file=list -B=url --base=url -t= --tries= -T= --timeout= --dns-timeout= --connect-timeout= --read-timeout= -w= --wait=
    --waitretry= -Q= --quota= --limit-rate= --user= --password= --http-user= --http-password= --header= --method= --post-data= --body-data=
    --referer= -U= --user-agent= --max-redirect= --progress= --compression= --restrict-file-names= --prefer-family= --secure-protocol=
    --ciphers= --pinnedpubkey= --bind-address=! --retry-on-http-error= -l= --level= -A= -R= -D= -I= -X= --accept= --reject= --domains=
    --exclude-domains= --cut-dirs= --default-page= --local-encoding= --remote-encoding= --backups= --ftp-user= --ftp-password= --start-pos=
    -o=write --output-file=write -a=write --append-output=write -O=write --output-document=write -P=write --directory-prefix=write
    --save-cookies=write --hsts-file=write --rejected-log=write --warc-file=write --load-cookies=read --post-file=read --body-file=read
    --certificate=read --private-key=read --ca-certificate=read --ca-directory=read --crl-file=read`),
  scheme: "http",
  files: (scanned) =>
    has(scanned, "-O --output-document --spider") ? [] : storedFiles(scanned, lastValue(scanned, "-P --directory-prefix")),
  reaches: (scanned) => {
    const urls = present(scanned.operands.map((word) => readUrl(word, "http")));
    const stays = urls.length === 0 || lastValue(scanned, "--max-redirect") === "0";
    return stays ? urls : [...urls, unnamed("it follows redirects; --max-redirect=0 keeps it where it is")];
  },
};
