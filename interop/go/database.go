package main

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"net/url"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/riverqueue/river/riverdriver"
	"github.com/riverqueue/river/riverdriver/riverpgxv5"
	"github.com/riverqueue/river/riverdriver/riversqlite"
	_ "modernc.org/sqlite"
)

// database is what differs between the two kinds of databases.
type database[TTx any] struct {
	driver   riverdriver.Driver[TTx]
	begin    func(ctx context.Context) (TTx, error)
	commit   func(ctx context.Context, tx TTx) error
	rollback func(ctx context.Context, tx TTx) error
	// complete and checkpoint need the concrete driver as a type argument.
	complete   func(ctx context.Context, tx TTx, job *planJob) error
	checkpoint func(ctx context.Context, tx TTx, job *planJob, cursor json.RawMessage) error
}

type connectParams struct {
	Backend string `json:"backend"`
	Address string `json:"address"`
}

func connect(ctx context.Context, raw json.RawMessage) (handler, error) {
	params, err := parse[connectParams](raw)
	if err != nil {
		return nil, err
	}
	switch params.Backend {
	case "postgres":
		return connectPostgres(ctx, params)
	case "sqlite":
		return connectSQLite(params)
	}
	return nil, fmt.Errorf("unknown backend %q", params.Backend)
}

func connectPostgres(ctx context.Context, params connectParams) (handler, error) {
	pool, err := pgxpool.New(ctx, params.Address)
	if err != nil {
		return nil, err
	}
	return &peer[pgx.Tx]{database: database[pgx.Tx]{
		driver:     riverpgxv5.New(pool),
		begin:      pool.Begin,
		commit:     func(ctx context.Context, tx pgx.Tx) error { return tx.Commit(ctx) },
		rollback:   func(ctx context.Context, tx pgx.Tx) error { return tx.Rollback(ctx) },
		complete:   completeTx[*riverpgxv5.Driver, pgx.Tx],
		checkpoint: checkpointTx[*riverpgxv5.Driver, pgx.Tx],
	}}, nil
}

// One connection that waits 5 seconds for the write lock, which is what River for Go needs on SQLite. Transactions take
// the lock at their begin: SQLite refuses at once, without waiting, to turn a transaction that has read into a writing one.
func connectSQLite(params connectParams) (handler, error) {
	query := url.Values{"_pragma": {"busy_timeout(5000)"}, "_txlock": {"immediate"}}
	pool, err := sql.Open("sqlite", "file:"+params.Address+"?"+query.Encode())
	if err != nil {
		return nil, err
	}
	pool.SetMaxOpenConns(1)
	return &peer[*sql.Tx]{database: database[*sql.Tx]{
		driver:     riversqlite.New(pool),
		begin:      func(ctx context.Context) (*sql.Tx, error) { return pool.BeginTx(ctx, nil) },
		commit:     func(_ context.Context, tx *sql.Tx) error { return tx.Commit() },
		rollback:   func(_ context.Context, tx *sql.Tx) error { return tx.Rollback() },
		complete:   completeTx[*riversqlite.Driver, *sql.Tx],
		checkpoint: checkpointTx[*riversqlite.Driver, *sql.Tx],
	}}, nil
}
