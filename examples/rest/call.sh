curl -sS "$SERVER/api/tools/word_count/call" -H "Authorization: Bearer $KEY" -H "Content-Type: application/json" \
  -d '{"path": "notes.txt"}'
