-- breaking: no
-- What a sub-agent is given for a piece of work is its assignment; a grant is a remembered yes of a person. As text: the column keeps the JSON
-- that was written, and within a string the quotes of the name are escaped.
UPDATE toolwright.jobs SET principal = replace(principal::text, '"grant":{', '"assignment":{')::json
  WHERE principal::text LIKE '%"delegated":{%' AND principal::text LIKE '%"grant":{%';
--> statement-breakpoint
UPDATE toolwright.schedules SET principal = replace(principal::text, '"grant":{', '"assignment":{')::json
  WHERE principal::text LIKE '%"delegated":{%' AND principal::text LIKE '%"grant":{%';
