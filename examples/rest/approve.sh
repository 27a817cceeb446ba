# 202: the call waits for a person. Location names its approval.
approval=$(curl -sS -o answer.json -w '%header{location}' "$SERVER/api/tools/refund/call" \
  -H "Authorization: Bearer $KEY" -H "Content-Type: application/json" -d '{"order": "1042"}')

# The person says yes.
curl -sS "$SERVER$approval/answer" -H "Authorization: Bearer $KEY" -H "Content-Type: application/json" \
  -d '{"outcome": {"kind": "approve"}}' -o answer.json

# The approved call runs, once.
curl -sS -X POST "$SERVER$approval/run" -H "Authorization: Bearer $KEY"
