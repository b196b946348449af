-- Since when a file may have what erased rows left in it. PostgreSQL's VACUUM removes them: it is null, or from a copy of a file.
ALTER TABLE organizations ADD COLUMN erasure_pending_since bigint;
