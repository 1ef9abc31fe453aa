-- One study. `meta` says which plan, and which form the file has.
CREATE TABLE meta (
    name TEXT PRIMARY KEY,
    value TEXT NOT NULL
) WITHOUT ROWID;

-- What each solve ran on; referred to by a digest of its content.
CREATE TABLE environments (
    digest TEXT PRIMARY KEY,
    content TEXT NOT NULL
) WITHOUT ROWID;

-- Every solve that is planned, in the order of the plan.
CREATE TABLE jobs (
    id INTEGER PRIMARY KEY,
    key TEXT NOT NULL UNIQUE,
    subject TEXT NOT NULL,
    method TEXT NOT NULL,
    mu_min REAL,
    mu_max REAL,
    neurons INTEGER,
    least_squares TEXT,
    scaling TEXT,
    seed INTEGER NOT NULL
);

-- Every solve that has ended: one row a job, never a second.
CREATE TABLE solves (
    job INTEGER PRIMARY KEY REFERENCES jobs (id),
    status TEXT NOT NULL CHECK (status IN ('done', 'failed')),
    message TEXT NOT NULL,
    measure TEXT NOT NULL,
    error REAL,
    space_time_error REAL,
    error_estimate REAL,
    held_out REAL,
    residuals TEXT NOT NULL,
    held_out_residuals TEXT NOT NULL,
    neurons INTEGER,
    rows INTEGER,
    rank INTEGER,
    condition REAL,
    coefficient_norm REAL,
    phases TEXT NOT NULL,
    seconds REAL NOT NULL,
    measured TEXT NOT NULL DEFAULT '{}',
    ended TEXT NOT NULL,
    environment TEXT REFERENCES environments (digest)
);
