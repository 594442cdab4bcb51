package main

import (
	"context"
	"encoding/json"

	"github.com/riverqueue/river/rivermigrate"
)

type migrateParams struct {
	Direction     rivermigrate.Direction `json:"direction"`
	TargetVersion int                    `json:"targetVersion"`
	MaxSteps      int                    `json:"maxSteps"`
}

func (p *peer[TTx]) migrator() (*rivermigrate.Migrator[TTx], error) {
	return rivermigrate.New(p.database.driver, nil)
}

// migrate answers the versions that it has run, in order.
func (p *peer[TTx]) migrate(ctx context.Context, raw json.RawMessage) (any, error) {
	params, err := parse[migrateParams](raw)
	if err != nil {
		return nil, err
	}
	migrator, err := p.migrator()
	if err != nil {
		return nil, err
	}
	result, err := migrator.Migrate(ctx, params.Direction,
		&rivermigrate.MigrateOpts{TargetVersion: params.TargetVersion, MaxSteps: params.MaxSteps})
	if err != nil {
		return nil, err
	}
	versions := make([]int, len(result.Versions))
	for i, version := range result.Versions {
		versions[i] = version.Version
	}
	return versions, nil
}

func (p *peer[TTx]) validate(ctx context.Context, _ json.RawMessage) (any, error) {
	migrator, err := p.migrator()
	if err != nil {
		return nil, err
	}
	result, err := migrator.Validate(ctx, nil)
	if err != nil {
		return nil, err
	}
	existing, err := migrator.ExistingVersions(ctx)
	if err != nil {
		return nil, err
	}
	versions := make([]int, len(existing))
	for i, version := range existing {
		versions[i] = version.Version
	}
	return map[string]any{"ok": result.OK, "messages": orEmpty(result.Messages), "versions": versions}, nil
}
