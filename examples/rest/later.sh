# 202: the call runs on. Location names its run. A repetition with the same key makes no second call.
run=$(curl -sS -o answer.json -w '%header{location}' "$SERVER/api/tools/report/call" -H "Authorization: Bearer $KEY" \
  -H "Content-Type: application/json" -H "Prefer: respond-async" -H "Idempotency-Key: report-2026-11" -d '{}')

until curl -sS "$SERVER$run" -H "Authorization: Bearer $KEY" | grep '"status":"success"'; do sleep 0.1; done
