-- The starts at which the clock was far ahead of the newest stored time.
CREATE TABLE clock_gaps (
  started_at bigint PRIMARY KEY,
  newest_at bigint NOT NULL
);
