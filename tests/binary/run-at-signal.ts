const statement = process.env.STATEMENT_AT_SIGWINCH;

/** Loaded before the program: runs the statement in its process. */
if (statement !== undefined) process.on("SIGWINCH", new Function(statement) as () => void);
