-- breaking: no
-- What the session of a message had read first that nobody here wrote. json and not text: what comes from elsewhere may hold characters that text
-- refuses.

ALTER TABLE toolwright.room_messages ADD COLUMN foreign_mark json;
