-- breaking: no
-- Where a secret may be sent by its name. A version that does not know of it refuses such a secret: the binding is sealed with the value.

-- JSON, kept as the text that was sealed; NULL for a secret that is sent nowhere.
ALTER TABLE toolwright.secrets ADD COLUMN binding text;
