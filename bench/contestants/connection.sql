-- What every contestant tells its connection, after accountd's own settings; `synchronous` is the contestant's.
PRAGMA busy_timeout = 250;
PRAGMA foreign_keys = ON;
PRAGMA cache_size = -65536;
PRAGMA temp_store = MEMORY;
PRAGMA mmap_size = 2147418112;
PRAGMA journal_size_limit = 67108864;
PRAGMA wal_autocheckpoint = 4000;
