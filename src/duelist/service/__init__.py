"""Live experiments over HTTP: the same verbs as in-process, for every language and many processes."""
