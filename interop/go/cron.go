package main

import (
	"encoding/json"
	"strings"
	"time"
	// For systems without a database of time zones of their own.
	_ "time/tzdata"

	"github.com/robfig/cron/v3"
)

type cronParams struct {
	// Expression with or without a prefix for the zone, as River's own documentation writes it.
	Expression string    `json:"expression"`
	Zone       string    `json:"zone"`
	After      time.Time `json:"after"`
	Count      int       `json:"count"`
}

func (params cronParams) schedule() (cron.Schedule, error) {
	expression := params.Expression
	if params.Zone != "" && !strings.HasPrefix(expression, "TZ=") && !strings.HasPrefix(expression, "CRON_TZ=") {
		expression = "CRON_TZ=" + params.Zone + " " + expression
	}
	return cron.ParseStandard(expression)
}

// cronInstants gives the next instants of an expression, fewer when there are no more.
func cronInstants(raw json.RawMessage) (any, error) {
	params, err := parse[cronParams](raw)
	if err != nil {
		return nil, err
	}
	schedule, err := params.schedule()
	if err != nil {
		return nil, err
	}
	instants := []string{}
	for at := params.After; len(instants) < params.Count; {
		at = schedule.Next(at)
		if at.IsZero() {
			break
		}
		instants = append(instants, timeText(at))
	}
	return instants, nil
}
