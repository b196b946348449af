-- The starts at which the clock was far ahead of the newest stored time.
CREATE TABLE clock_gaps (
  started_at INTEGER PRIMARY KEY,
  newest_at INTEGER NOT NULL
) STRICT;
