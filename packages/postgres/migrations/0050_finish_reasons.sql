-- breaking: no
-- Why the answer of a turn was cut off: length, content-filter or error.
ALTER TABLE toolwright.turns ADD COLUMN finish_reason text;
