/** What the test files of one process share, such as a database server. The hooks dispose of it after the last file. */
export const processResources = new AsyncDisposableStack();
