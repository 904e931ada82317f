#!/usr/bin/env bash
# Is the session kernel of a running server all right? Talks to it as a bridge does, as a sender nobody has heard of,
# and says ok or FAILED for each thing it tries. Needs bash and curl. See --help.
set -uo pipefail

usage() {
  cat <<'TEXT'
Usage: scripts/smoke_sessions.sh [URL]

Tries the session API of a running rouse: opens, continues, resets and closes the sessions of a
made-up sender, and closes what it opened. It is safe against a server in use.

  URL                 the server; default http://127.0.0.1:18888

  $ROUSE_TOKEN        the token; else the output of `rouse token`
  $ROUSE_WORKSPACE    the workspace to work in; default ws_default
  $ROUSE_BIN          the rouse to ask for the token; default build/release/rouse, else the PATH

Exit codes:
  0 all is well   1 a check failed   2 wrong usage   3 server not reachable   4 no token

Examples:
  scripts/smoke_sessions.sh
  ROUSE_TOKEN=rouse_… scripts/smoke_sessions.sh https://rouse.example.org
TEXT
}

die() {  # die CODE MESSAGE
  printf 'smoke_sessions: %s\n' "$2" >&2
  exit "$1"
}

url=http://127.0.0.1:18888
case ${1-} in
  -h | --help) usage; exit 0 ;;
  -*) die 2 "there is no option '$1'. Try: scripts/smoke_sessions.sh --help" ;;
  ?*) url=${1%/} ;;
esac
(($# <= 1)) || die 2 "one URL is enough. Try: scripts/smoke_sessions.sh --help"
command -v curl >/dev/null || die 2 "curl is missing; install it (apt-get install curl)"

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
token=${ROUSE_TOKEN-}
if [[ -z $token ]]; then
  rouse=${ROUSE_BIN:-$root/build/release/rouse}
  [[ -x $rouse ]] || rouse=$(command -v rouse) || die 4 "set ROUSE_TOKEN, or build rouse so that it can be asked (make build)"
  token=$("$rouse" token) || die 4 "'$rouse token' gave none; set ROUSE_TOKEN"
fi
workspace=${ROUSE_WORKSPACE:-ws_default}
sender=smoke-$(od -An -N8 -tx1 /dev/urandom | tr -d ' \n')

# --- asking ---------------------------------------------------------------------------------------------------------
status='' body=''
as=owner
ask() {  # ask METHOD PATH [BODY]: the answer is in $status and $body
  local data=() answer
  (($# > 2)) && data=(-H 'Content-Type: application/json' --data-binary @-)
  # The token goes through a file descriptor: the arguments of a command can be read by everybody on the machine.
  answer=$(printf '%s' "${3-}" | curl -sS --max-time 20 -X "$1" -w '\n%{http_code}' ${data[@]+"${data[@]}"} \
    -H @<([[ $as == nobody ]] || printf 'Authorization: Bearer %s\n' "$token") "$url$2" 2>&1)
  status=${answer##*$'\n'}
  body=${answer%$'\n'*}
}

resolve() {  # resolve TEXT [MORE FIELDS]
  ask POST /kernel/sessions/resolve \
    "{\"workspace_id\":\"$workspace\",\"channel\":\"whatsapp\",\"remote_jid\":\"$sender\",\"user_message\":\"$1\"${2-}}"
  remember
}

sessions=()
remember() {  # keeps the session of the answer in $session, to be closed at the end
  session=none
  [[ $body =~ \"session_id\":\"(sess_[0-9a-f]{24})\" ]] || return 0
  session=${BASH_REMATCH[1]}
  sessions+=("$session")
}

close_all() {
  as=owner
  local id
  for id in $(printf '%s\n' ${sessions[@]+"${sessions[@]}"} | sort -u); do
    ask POST "/kernel/sessions/$id/close"
  done
}
trap close_all EXIT
trap 'exit 130' INT TERM

# --- checking -------------------------------------------------------------------------------------------------------
passed=0 failed=0
check() {  # check NAME STATUS [TEXT…]: every TEXT is in the body; one that begins with ! is not
  local name=$1 wanted=$2 text problem=''
  shift 2
  [[ $status == "$wanted" ]] || problem="the status is $status, not $wanted"
  for text in "$@"; do
    if [[ $text == !* ]]; then
      [[ $body != *"${text#!}"* ]] || problem="${problem:+$problem; }the answer has ${text#!}"
    else
      [[ $body == *"$text"* ]] || problem="${problem:+$problem; }the answer lacks $text"
    fi
  done
  if [[ -z $problem ]]; then
    passed=$((passed + 1))
    printf 'ok      %s\n' "$name"
  else
    failed=$((failed + 1))
    printf 'FAILED  %s\n        %s\n        got %s: %.600s\n' "$name" "$problem" "$status" "$body"
  fi
}

ask GET /kernel/health
[[ $status == [1-5][0-9][0-9] ]] || die 3 "no answer from $url: $body"
[[ $status != 401 ]] || die 4 "$url does not know this token; set ROUSE_TOKEN"
check "the kernel is healthy" 200 '"ok":true' '"uptime_ms":' '"db":"ok"' '"version":"'

as=nobody
ask GET "/kernel/sessions?workspace_id=$workspace"
check "without a token nothing is told" 401 '"ok":false' '"error":"unauthorized"'
as=owner

resolve "what is the capital of France?" ',"message_id":"smoke-1"'
first=$session first_answer=$body
check "a first message opens a session" 200 '"ok":true' '"decision":"new"' '"reason":"first_message"' \
  "\"remote_jid\":\"$sender\"" '"channel":"whatsapp"' '"status":"active"' '"turn_count":0' '"context_summary":""'

resolve "what is the capital of France?" ',"message_id":"smoke-1"'
check "a message delivered twice gets its first answer again" 200 "$first_answer"

resolve "and what is its population?"
check "a second message continues it" 200 "\"session_id\":\"$first\"" '"decision":"continue"' '"reason":"within_timeout"'

ask PATCH "/kernel/sessions/$first" \
  "{\"workspace_id\":\"$workspace\",\"user_message\":\"and what is its population?\",\"assistant_response\":\"About two million.\",\"action_type\":\"answer\"}"
check "a turn is recorded and summed up in five lines" 200 "\"session_id\":\"$first\"" '"context_summary":"GOAL: ' \
  '\nENTITIES: ' '\nDECISIONS: ' '\nPENDING: ' '\nTURNS: 1"'

ask GET "/kernel/sessions/$first"
check "the session shows it, with its nine columns" 200 "\"session_id\":\"$first\"" "\"workspace_id\":\"$workspace\"" \
  '"channel":' '"remote_jid":' '"status":"active"' '"turn_count":1' 'TURNS: 1"' '"created_at":"' '"last_message_at":"'

resolve "thanks"
check "the next message is handed the summary" 200 '"decision":"continue"' '"turn_count":1' '"context_summary":"GOAL: '

ask PATCH "/kernel/sessions/$first" '{"workspace_id":"ws_smoke_other","user_message":"a","assistant_response":"b"}'
check "a turn for another workspace is refused" 403 '"ok":false' '"error":"workspace_mismatch"'

resolve "how do I reset my password?"
check "a reset phrase inside a request is no reset" 200 "\"session_id\":\"$first\"" '"decision":"continue"'

resolve "Reset!"
second=$session
check "a reset phrase opens an empty session" 200 '"decision":"new"' '"reason":"explicit_reset"' \
  '"context_summary":""' '"turn_count":0' "!$first"

ask GET "/kernel/sessions/$first"
check "the session before the reset is closed" 200 '"status":"closed"'

ask GET "/kernel/sessions?workspace_id=$workspace&limit=200"
check "both are listed, without summaries" 200 '"ok":true' '"sessions":[' "\"$second\"" "\"$first\"" '!context_summary'

ask POST "/kernel/sessions/$second/close"
check "a session can be closed" 200 '"ok":true' "\"session_id\":\"$second\""
ask POST "/kernel/sessions/$second/close" "{\"workspace_id\":\"$workspace\"}"
check "closing it again is fine" 200 '"ok":true' "\"session_id\":\"$second\""

resolve "مرحبا 😀"
check "after that a message opens a new one" 200 '"decision":"new"' '"reason":"session_closed"' "!$second"

ask POST /kernel/sessions/resolve "{\"workspace_id\":\"$workspace\",\"remote_jid\":\"$sender\"}"
check "a missing field is named" 400 '"ok":false' 'user_message'

ask POST /kernel/sessions/resolve '{"workspace_id":"ws_smoke_nobody","remote_jid":"x","user_message":"x"}'
check "an unknown workspace is not found" 404 '"error":"workspace_not_found"'

ask GET /kernel/sessions/sess_000000000000000000000000
check "an unknown session is not found" 404 '"error":"session_not_found"'

resolve "$(head -c 2000000 /dev/zero | tr '\0' x)"
check "2 MB are too much" 413 '"ok":false' '"error":"too_large"'

echo
echo "$passed passed, $failed failed"
((failed == 0))
