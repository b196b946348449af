-- Since when the file may have what erased rows left in it: another program prevented its erasure.
ALTER TABLE organizations ADD COLUMN erasure_pending_since INTEGER;
